/*
 * The number of steps of llquantize() is within bounds.
 * @@needs: nothing
 */
BEGIN { @ = llquantize(1, 10, 0, 6, 70000); }
