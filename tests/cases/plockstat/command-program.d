/*
 * plockstat -V shows its program, which dtrace runs.
 * @@needs: prog:locks
 */
BEGIN { exit(0); }
