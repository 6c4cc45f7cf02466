/*
 * raise() of what is no signal is an illegal operation.
 * @@args: -q -w
 */
BEGIN { raise(1000); trace("not reached"); }
BEGIN { exit(0); }
ERROR { printf("%d %d\n", arg4, arg5); }
