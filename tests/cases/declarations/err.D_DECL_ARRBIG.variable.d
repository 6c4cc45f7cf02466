/*
 * A variable has a size that storage is there for.
 * @@needs: nothing
 */
char big[1000000];
BEGIN { }
