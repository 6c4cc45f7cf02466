/*
 * --help tells how it is used, and that is no error.
 * @@needs: nothing
 */
BEGIN { exit(0); }
