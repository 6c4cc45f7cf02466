/*
 * exit() sets the exit status.
 * @@args: -q
 * @@exit: 7
 */
BEGIN { exit(7); }
