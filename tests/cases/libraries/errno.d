/*
 * D library errno.d: constants are there when a script uses them.
 * @@args: -q
 */
BEGIN { printf("%d %d %d %d\n", ENOENT, EACCES, EAGAIN, ENOTSUP); exit(0); }
