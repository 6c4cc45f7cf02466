/*
 * An action has no value to print.
 * @@needs: nothing
 */
BEGIN { printf("%d\n", printf("a")); }
