/*
 * A binding's version is quoted.
 * @@needs: nothing
 */
int x;
#pragma D binding 1.0 x
BEGIN { }
