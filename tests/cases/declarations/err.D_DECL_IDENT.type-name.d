/*
 * A type has no name of a variable.
 * @@needs: nothing
 */
BEGIN { trace(sizeof (int x)); }
