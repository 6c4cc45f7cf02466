/*
 * A built-in variable has no address.
 * @@needs: nothing
 */
BEGIN { trace(&pid); }
