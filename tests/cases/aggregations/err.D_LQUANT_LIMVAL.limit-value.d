/*
 * lquantize(): the limit fits 32 bits.
 */
BEGIN
{
	x = 1;
	@ = lquantize(1, 0, 0x100000000, 1);
}
