/*
 * What a script says of a symbol comes before what a library says.
 * @@args: -q -e
 */
extern char *jiffies;
extern struct { int low, high; } avenrun[3];
BEGIN { exit(0); }
