/*
 * The status is that of exit() in END, if it has one.
 * @@args: -q
 * @@exit: 3
 */
BEGIN { exit(2); }
END { printf("end\n"); exit(3); }
