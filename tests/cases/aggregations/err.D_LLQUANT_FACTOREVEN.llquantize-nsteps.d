/*
 * llquantize(): the steps are a multiple of the factor.
 */
BEGIN
{
	x = 1;
	@ = llquantize(1, 10, 0, 6, 15);
}
