/*
 * llquantize()'s factor is at least 2; it fits in 16 bits.
 * @@needs: nothing
 */
BEGIN { @ = llquantize(1, 100000, 0, 3, 10); }
