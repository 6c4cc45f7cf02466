/*
 * D library signal.d: constants are there when a script uses them.
 * @@args: -q
 */
BEGIN { printf("%d %d %d %d\n", SIGHUP, SIGKILL, SIGCHLD, CLD_EXITED); exit(0); }
