/*
 * A script may define a name of a library itself.
 * @@args: -q
 */
inline int ENOENT = 77;
BEGIN { printf("%d %d\n", ENOENT, EPERM); exit(0); }
