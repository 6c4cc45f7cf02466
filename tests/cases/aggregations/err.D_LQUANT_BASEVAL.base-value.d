/*
 * lquantize(): the base fits 32 bits.
 */
BEGIN
{
	x = 1;
	@ = lquantize(1, 0x100000000, 0x100000002, 1);
}
