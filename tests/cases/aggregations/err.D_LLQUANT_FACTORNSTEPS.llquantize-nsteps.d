/*
 * llquantize(): there are at least factor steps.
 */
BEGIN
{
	x = 1;
	@ = llquantize(1, 10, 0, 6, 5);
}
