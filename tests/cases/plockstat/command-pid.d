/*
 * plockstat -p looks at a process that runs, -e for so many seconds, and lets
 * it run on; an interrupt ends it, too, with what there is.
 * @@needs: prog:locks
 */
BEGIN { exit(0); }
