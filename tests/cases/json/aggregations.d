/*
 * A row of an aggregation has typed keys and a value for each aggregation of
 * its printa(); distributions have buckets with both bounds.
 */
BEGIN
{
	@n["k", 1] = count();
	@n["l", 2] = count();
	@n["l", 2] = count();
	@s["k", 1] = sum(-10);
	printa(@n, @s);
	printa("%s %d %@d\n", @n);
	normalize(@s, 3);
	printa(@s);
	trunc(@n, 1);
	printa(@n);
	clear(@n);
	denormalize(@s);
	@avg = avg(3);
	@avg = avg(4);
	@max = max(9);
	@dev = stddev(2);
	@dev = stddev(4);
	@q = quantize(-3);
	@q = quantize(-1);
	@q = quantize(0);
	@q = quantize(1000);
	@l = lquantize(-1, 0, 10, 2);
	@l = lquantize(5, 0, 10, 2);
	@l = lquantize(50, 0, 10, 2);
	@ll = llquantize(0, 10, 1, 2, 10);
	@ll = llquantize(35, 10, 1, 2, 10);
	@ll = llquantize(5000, 10, 1, 2, 10);
	@no[1] = quantize(1, 0);
	exit(0);
}
