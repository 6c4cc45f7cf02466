/*
 * D library fcntl.d: constants are there when a script uses them.
 * @@args: -q
 */
BEGIN { printf("%d %d %d %d\n", O_RDWR, O_CREAT, O_CLOEXEC, AT_FDCWD); exit(0); }
