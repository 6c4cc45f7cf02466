/*
 * lquantize(): the base is a constant.
 */
BEGIN
{
	x = 1;
	@ = lquantize(1, x, 10, 1);
}
