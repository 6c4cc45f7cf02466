/*
 * llquantize(): low is below high.
 */
BEGIN
{
	x = 1;
	@ = llquantize(1, 10, 6, 2, 10);
}
