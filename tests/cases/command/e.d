/*
 * -e compiles and enables nothing.
 * @@needs: nothing
 */
BEGIN { printf("never\n"); exit(5); }
