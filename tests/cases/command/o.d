/*
 * -o writes to a file, at its end.
 */
BEGIN { exit(0); }
