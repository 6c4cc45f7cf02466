/*
 * The dynamic size is an integer.
 * @@needs: nothing
 */
BEGIN { tracemem(arg0, 8, "a"); }
