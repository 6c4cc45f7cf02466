/*
 * A variable is not called.
 * @@needs: nothing
 */
BEGIN { pid(1); }
