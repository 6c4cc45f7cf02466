/*
 * If limit and step both differ, the error names the limit.
 * @@needs: nothing
 */
BEGIN
{
	@ = lquantize(1, 0, 10, 1);
	@ = lquantize(1, 0, 12, 2);
}
