/*
 * What plockstat(1) cannot do it says, and how it is meant.
 * @@needs: prog:locks
 */
BEGIN { exit(0); }
