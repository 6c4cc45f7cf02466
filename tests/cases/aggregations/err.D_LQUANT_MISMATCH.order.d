/*
 * lquantize(): the base is below the limit.
 */
BEGIN
{
	x = 1;
	@ = lquantize(1, 10, 0, 1);
}
