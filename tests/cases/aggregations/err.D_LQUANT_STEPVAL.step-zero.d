/*
 * lquantize(): the step is positive.
 */
BEGIN
{
	x = 1;
	@ = lquantize(1, 0, 10, 0);
}
