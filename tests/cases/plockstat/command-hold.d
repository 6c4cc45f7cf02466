/*
 * plockstat -H counts each time that a lock was held, from the outermost lock
 * to the last unlock; -A shows what was waited for, too.
 * @@needs: prog:locks
 */
BEGIN { exit(0); }
