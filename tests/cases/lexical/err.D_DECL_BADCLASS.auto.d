/*
 * A variable of D has no storage class auto.
 * @@needs: nothing
 */
auto int x;
BEGIN { exit(0); }
