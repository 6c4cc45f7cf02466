/*
 * plockstat(1) reports wrong usage, and tells the right one.
 * @@needs: prog:locks
 */
BEGIN { exit(0); }
