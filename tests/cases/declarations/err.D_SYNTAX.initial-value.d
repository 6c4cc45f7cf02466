/*
 * A variable starts at zero.
 * @@needs: nothing
 */
int x = 3;
BEGIN { }
