/*
 * The built-in variable that was meant is suggested.
 * @@needs: nothing
 */
BEGIN { trace(excename); }
