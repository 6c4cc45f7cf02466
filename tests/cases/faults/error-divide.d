/*
 * ERROR for a division: fault 4, and the offset is a multiple of 4.
 * @@args: -q
 */
BEGIN { x = 0; }
BEGIN { y = 5 / x; }
BEGIN { exit(0); }

ERROR { printf("%d %d %d %d\n", arg1, arg2, arg3 % 4, arg4); }
