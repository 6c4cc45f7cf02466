/*
 * The option that was meant is suggested.
 * @@needs: nothing
 */
BEGIN { }
