/*
 * llquantize(): the factor is at least 2.
 */
BEGIN
{
	x = 1;
	@ = llquantize(1, 1, 0, 6, 10);
}
