/*
 * A process by its number, and another one, which has locks, too, beside it.
 * @@needs: prog:locks
 */
BEGIN { exit(0); }
