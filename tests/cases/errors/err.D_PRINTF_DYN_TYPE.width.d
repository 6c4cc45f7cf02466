/*
 * A width is an integer.
 * @@needs: nothing
 */
BEGIN { printf("%*d", "4", 1); }
