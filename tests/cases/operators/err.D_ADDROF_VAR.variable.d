/*
 * A D variable has no address.
 * @@needs: nothing
 */
int x;
BEGIN { trace(&x); }
