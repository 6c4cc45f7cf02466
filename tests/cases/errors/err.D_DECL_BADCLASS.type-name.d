/*
 * A type name has no storage class.
 * @@needs: nothing
 */
BEGIN { trace(offsetof(static int, a)); }
