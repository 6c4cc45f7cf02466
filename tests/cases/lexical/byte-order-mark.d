/*
 * A byte order mark before the program is skipped.
 * @@args: -q
 */
BEGIN { printf("here\n"); exit(0); }
