/*
 * A name where -p takes a number: the hint has ids of processes so named.
 * @@needs: nothing
 */
BEGIN { exit(0); }
