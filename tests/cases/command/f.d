/*
 * -f names a function, with or without what stands before it.
 */
BEGIN { exit(0); }
