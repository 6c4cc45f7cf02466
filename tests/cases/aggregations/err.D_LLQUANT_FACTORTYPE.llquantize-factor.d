/*
 * llquantize(): the factor is a constant.
 */
BEGIN
{
	x = 1;
	@ = llquantize(1, x, 0, 6, 10);
}
