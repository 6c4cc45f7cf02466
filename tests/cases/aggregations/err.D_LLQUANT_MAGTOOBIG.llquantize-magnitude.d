/*
 * llquantize(): factor to the power of high + 1 fits 64 bits.
 */
BEGIN
{
	x = 1;
	@ = llquantize(1, 10, 0, 40, 10);
}
