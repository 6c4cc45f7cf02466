/* Prometheus's promtool has nothing against the metrics: "\" and the like. */
BEGIN
{
	@calls["a\"b\\c\nd\377", 1] = count();
	@sums["x"] = sum(-5);
	@sizes["k"] = quantize(-3);
	@sizes["k"] = quantize(1000);
	@low = lquantize(400, 0, 10, 2);
	exit(0);
}
