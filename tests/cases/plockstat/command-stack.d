/*
 * plockstat -s shows how times are distributed, and the stack beside it.
 * @@needs: prog:locks
 */
BEGIN { exit(0); }
