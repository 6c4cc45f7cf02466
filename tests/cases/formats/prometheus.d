/*
 * Aggregations are metrics: the values, labels and buckets are those of D, and
 * the file has them while tracing goes on.
 */
BEGIN
{
	@calls["a\"b\\c\nd", 1] = count();
	@sums["x"] = sum(-5);
	@plain = max(3);
	@sizes["k"] = quantize(-3);
	@sizes["k"] = quantize(5);
	@sizes["k"] = quantize(1000);
	@low = lquantize(-4, 0, 10, 2);
	@low = lquantize(4, 0, 10, 2);
	@low = lquantize(400, 0, 10, 2);
}

tick-10ms
/$1/
{
	exit(0);
}
