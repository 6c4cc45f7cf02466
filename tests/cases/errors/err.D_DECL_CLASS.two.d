/*
 * One storage class at most.
 * @@needs: nothing
 */
self this int x;
BEGIN { exit(0); }
