/*
 * --help prints the usage, and is no error.
 * @@needs: nothing
 */
BEGIN { exit(0); }
