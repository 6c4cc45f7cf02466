/*
 * The factor fits in 16 bits.
 * @@needs: nothing
 */
BEGIN { @a = llquantize(1, 70000, 0, 3, 10); }
