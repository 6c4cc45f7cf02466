/*
 * A variable of D has no address.
 * @@needs: nothing
 */
BEGIN { x = 1; trace(&x); }
