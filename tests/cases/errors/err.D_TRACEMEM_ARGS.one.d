/*
 * tracemem() takes an address and a size.
 * @@needs: nothing
 */
BEGIN { tracemem(arg0); }
