/*
 * llquantize() is linear within each power of its factor.
 * @@args: -q
 */
BEGIN
{
	@ = llquantize(0, 10, 0, 2, 10);
	@ = llquantize(1, 10, 0, 2, 10);
	@ = llquantize(5, 10, 0, 2, 10);
	@ = llquantize(9, 10, 0, 2, 10);
	@ = llquantize(10, 10, 0, 2, 10);
	@ = llquantize(42, 10, 0, 2, 10);
	@ = llquantize(99, 10, 0, 2, 10);
	@ = llquantize(100, 10, 0, 2, 10);
	@ = llquantize(999, 10, 0, 2, 10);
	@ = llquantize(1000, 10, 0, 2, 10);
	exit(0);
}
