/*
 * A macro argument may be a name of a library.
 * @@args: -q
 * @@operands: SIGKILL
 */
BEGIN { printf("%d\n", $1); exit(0); }
