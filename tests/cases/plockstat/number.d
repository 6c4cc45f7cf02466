/*
 * A process is traced by its number; another one, which has locks, too, is not.
 * @@needs: prog:locks
 */
BEGIN { exit(0); }
