/*
 * The high magnitude of llquantize() is within bounds.
 * @@needs: nothing
 */
BEGIN { @ = llquantize(1, 10, 0, 70000, 10); }
