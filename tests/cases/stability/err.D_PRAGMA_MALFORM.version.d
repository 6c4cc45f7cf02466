/*
 * A binding is to a version that exists.
 * @@needs: nothing
 */
int x;
#pragma D binding "1.99" x
BEGIN { }
