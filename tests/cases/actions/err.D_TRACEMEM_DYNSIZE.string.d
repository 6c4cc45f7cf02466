/*
 * tracemem()'s dynamic size is an integer.
 * @@needs: nothing
 */
BEGIN { tracemem(1, 8, "a"); }
