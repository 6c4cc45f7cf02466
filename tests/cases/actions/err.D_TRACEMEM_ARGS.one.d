/*
 * tracemem() takes two or three arguments.
 * @@needs: nothing
 */
BEGIN { tracemem(1); }
