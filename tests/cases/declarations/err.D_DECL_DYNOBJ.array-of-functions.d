/*
 * There are no arrays of functions.
 */
int f[3](int);
BEGIN { exit(0); }
