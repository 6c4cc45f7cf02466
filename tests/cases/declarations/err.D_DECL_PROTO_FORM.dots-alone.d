/*
 * A prototype has a parameter before '...'.
 * @@needs: nothing
 */
typedef int f(...);
BEGIN { }
