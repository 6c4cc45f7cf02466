/*
 * A declaration has one storage class.
 * @@needs: nothing
 */
self this int x;
BEGIN { }
