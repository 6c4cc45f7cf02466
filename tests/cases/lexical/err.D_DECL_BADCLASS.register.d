/*
 * A variable of D has no storage class register.
 * @@needs: nothing
 */
register int x;
BEGIN { exit(0); }
