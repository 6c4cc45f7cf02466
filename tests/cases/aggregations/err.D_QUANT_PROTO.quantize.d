/*
 * The increment of quantize() is an integer.
 * @@needs: nothing
 */
BEGIN { @ = quantize(1, execname); }
