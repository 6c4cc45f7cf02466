/*
 * A variable is at most 16 KiB.
 * @@needs: nothing
 */
char big[100000];
BEGIN { exit(0); }
