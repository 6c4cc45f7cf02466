/*
 * lquantize() has equal steps between a base and a limit.
 * @@args: -q
 */
BEGIN
{
	@ = lquantize(0, 0, 100, 10);
	@ = lquantize(9, 0, 100, 10);
	@ = lquantize(10, 0, 100, 10);
	@ = lquantize(55, 0, 100, 10);
	@ = lquantize(99, 0, 100, 10);
	exit(0);
}
