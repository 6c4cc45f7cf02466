/*
 * lquantize() may begin below 0, and count by more than 1.
 * @@args: -q
 */
BEGIN
{
	@ = lquantize(-15, -20, 20, 10, 3);
	@ = lquantize(5, -20, 20, 10, 1);
	exit(0);
}
