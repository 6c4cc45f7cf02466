/*
 * Only integers have a sign to choose.
 * @@needs: nothing
 */
unsigned double x;
BEGIN { exit(0); }
