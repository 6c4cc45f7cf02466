/*
 * short and long qualify integers.
 * @@needs: nothing
 */
long float x;
BEGIN { }
