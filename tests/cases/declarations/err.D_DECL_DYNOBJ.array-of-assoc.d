/*
 * Associative arrays cannot be elements of an array.
 */
int x[3][int];
BEGIN { exit(0); }
