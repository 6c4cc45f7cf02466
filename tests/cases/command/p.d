/*
 * -p traces a process until it ends.
 */
BEGIN { exit(0); }
