/*
 * A file that is not there is named.
 */
BEGIN { exit(0); }
