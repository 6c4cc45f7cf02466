/*
 * D has no register variables.
 * @@needs: nothing
 */
register int x;
BEGIN { }
