/*
 * A type cannot be an associative array.
 */
typedef int t[int];
BEGIN { exit(0); }
