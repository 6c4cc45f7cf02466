/*
 * A variable is no function.
 * @@needs: nothing
 */
int x;
BEGIN { x(1); }
