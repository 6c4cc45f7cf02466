/*
 * There is no pointer to an associative array.
 */
int (*x)[int];
BEGIN { exit(0); }
