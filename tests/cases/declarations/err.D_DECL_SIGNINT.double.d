/*
 * signed and unsigned qualify integers.
 * @@needs: nothing
 */
unsigned double x;
BEGIN { }
