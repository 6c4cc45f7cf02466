/*
 * D library unistd.d: constants are there when a script uses them.
 * @@args: -q
 */
BEGIN { printf("%d %d %d %d\n", SEEK_END, R_OK, S_IFDIR, PROT_EXEC); exit(0); }
