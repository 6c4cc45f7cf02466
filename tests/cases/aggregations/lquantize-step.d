/*
 * lquantize()'s step is 1 if not given.
 * @@args: -q
 */
BEGIN
{
	@ = lquantize(2, 0, 5);
	@ = lquantize(3, 0, 5);
	exit(0);
}
