/*
 * A prototype has a parameter before '...'.
 * @@needs: nothing
 */
extern int f(...);
BEGIN { }
