/*
 * The function that was meant is suggested.
 * @@needs: nothing
 */
BEGIN { trace(strlne(execname)); }
