/*
 * With aggzoom, bars are shares of the longest, which takes 95 % of the
 * columns.
 * @@args: -q -x agghist -x aggzoom
 */
BEGIN
{
	@s["a"] = sum(1);
	@s["b"] = sum(50);
	@s["c"] = sum(100);
	@q = quantize(1);
	@q = quantize(1);
	@q = quantize(3);
	exit(0);
}
