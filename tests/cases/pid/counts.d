/*
 * Every entry and every return of every shape of function is counted, once, in
 * programs of every form, and by threads; children do not count.
 * @@needs: prog:calls
 * @@process: a vfork() child runs as its parent until it executes
 */
BEGIN { exit(0); }
