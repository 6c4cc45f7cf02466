/*
 * lquantize(): the limit is a constant.
 */
BEGIN
{
	x = 1;
	@ = lquantize(1, 0, x, 1);
}
