/*
 * An unknown option or a missing argument: usage, and status 2.
 * @@needs: nothing
 */
BEGIN { exit(0); }
