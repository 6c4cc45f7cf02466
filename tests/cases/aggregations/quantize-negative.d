/*
 * Negative values have buckets of their own.
 * @@args: -q
 */
BEGIN
{
	@ = quantize(-1);
	@ = quantize(-2);
	@ = quantize(-3);
	@ = quantize(-4);
	@ = quantize(1);
	exit(0);
}
