/*
 * A type name declares no variable.
 * @@needs: nothing
 */
BEGIN { trace(sizeof (int x)); }
