/*
 * llquantize(): the high magnitude is a constant.
 */
BEGIN
{
	x = 1;
	@ = llquantize(1, 10, 0, x, 10);
}
