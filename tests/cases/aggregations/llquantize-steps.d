/*
 * llquantize() with more steps than the factor divides each power finer.
 * @@args: -q
 */
BEGIN
{
	@ = llquantize(10, 10, 1, 2, 20);
	@ = llquantize(15, 10, 1, 2, 20);
	@ = llquantize(100, 10, 1, 2, 20);
	@ = llquantize(149, 10, 1, 2, 20);
	@ = llquantize(150, 10, 1, 2, 20);
	@ = llquantize(999, 10, 1, 2, 20);
	exit(0);
}
