/*
 * D programs cannot declare functions.
 * @@needs: nothing
 */
int f(int);
BEGIN { exit(0); }
