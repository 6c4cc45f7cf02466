/*
 * lquantize(): the step is not greater than the range.
 */
BEGIN
{
	@ = lquantize(1, 0, 10, 20);
}
