/*
 * A script's declaration of a symbol comes before a library's.
 * @@args: -q -e
 */
extern char *jiffies;
extern struct { int low, high; } avenrun[3];
BEGIN { exit(0); }
