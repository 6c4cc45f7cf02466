/*
 * lquantize(): the step fits 16 bits.
 */
BEGIN
{
	x = 1;
	@ = lquantize(1, 0, 1000000, 70000);
}
