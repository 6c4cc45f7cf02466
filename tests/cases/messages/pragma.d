/*
 * The pragma that was meant is suggested.
 * @@needs: nothing
 */
#pragma D optoin quiet
BEGIN { }
