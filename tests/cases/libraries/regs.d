/*
 * D library regs.d: constants are there when a script uses them.
 * @@args: -q
 */
BEGIN { printf("%d %d %d %d\n", R_R15, R_RAX, R_PC, R_EAX); exit(0); }
