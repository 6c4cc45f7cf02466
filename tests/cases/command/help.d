/*
 * --help prints the usage, and is no error.  The usage has every flag.
 * @@needs: nothing
 */
BEGIN { exit(0); }
