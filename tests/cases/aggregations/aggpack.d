/*
 * With aggpack, a distribution takes one line: the buckets that any row of the
 * aggregation has, and one beside them.
 * @@args: -q -x aggpack
 */
BEGIN
{
	@q["x"] = quantize(3);
	@q["x"] = quantize(100);
	@q["x"] = quantize(101);
	@q["y"] = quantize(1000);
	@l[1] = lquantize(3, 0, 10, 1);
	@l[1] = lquantize(3, 0, 10, 1);
	@l[1] = lquantize(-5, 0, 10, 1);
	@l[2] = lquantize(10, 0, 10, 1);
	@ll = llquantize(30, 10, 0, 2, 10);
	@ll = llquantize(500, 10, 0, 2, 10);
	@zero = quantize(0);
	@zero = quantize(1);
	@s["not packed"] = sum(1);
	exit(0);
}
