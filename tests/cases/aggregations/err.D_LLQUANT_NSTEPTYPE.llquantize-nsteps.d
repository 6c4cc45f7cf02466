/*
 * llquantize(): the number of steps is a constant.
 */
BEGIN
{
	x = 1;
	@ = llquantize(1, 10, 0, 6, x);
}
