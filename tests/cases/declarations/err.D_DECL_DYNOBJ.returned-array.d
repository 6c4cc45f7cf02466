/*
 * A function returns no array.
 */
int *f(int)[3];
BEGIN { exit(0); }
