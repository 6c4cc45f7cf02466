/*
 * exit() takes any expression; END still runs.
 * @@args: -q
 * @@exit: 42
 */
BEGIN { x = 40; exit(x + 2); }
END { printf("end\n"); }
