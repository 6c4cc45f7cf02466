/*
 * A thread has no functions of its own.
 * @@needs: nothing
 */
self int f(int);
BEGIN { exit(0); }
