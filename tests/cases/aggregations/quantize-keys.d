/*
 * Distributions print their key above, the smallest weighted total first.
 * @@args: -q
 */
BEGIN
{
	@["b"] = quantize(1);
	@["b"] = quantize(1);
	@["a"] = quantize(4);
	exit(0);
}
