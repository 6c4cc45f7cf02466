/*
 * A logarithmic distribution without counts has its first two rows, a linear
 * one three.
 * @@args: -q
 */
BEGIN
{
	@a = llquantize(50, 10, 0, 3, 10);
	@b = lquantize(50, 0, 100, 10);
	clear(@a);
	clear(@b);
	printa(@a);
	printa(@b);
	exit(0);
}
