/*
 * llquantize(): the low magnitude is a constant.
 */
BEGIN
{
	x = 1;
	@ = llquantize(1, 10, x, 6, 10);
}
