/*
 * The increment is an integer.
 * @@needs: nothing
 */
BEGIN { @a = quantize(1, "x"); }
