/*
 * The low magnitude of llquantize() is within bounds.
 * @@needs: nothing
 */
BEGIN { @ = llquantize(1, 10, -1, 6, 10); }
