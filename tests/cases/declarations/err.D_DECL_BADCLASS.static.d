/*
 * D has no static variables.
 * @@needs: nothing
 */
static int x;
BEGIN { }
