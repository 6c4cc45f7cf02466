/*
 * A folded line has the keys, then the frames from the root to the leaf, and
 * the value.  What would break a line is replaced, a distribution is the number
 * of its values, and several aggregations have their names before the keys.
 */
BEGIN
{
	trace("this has no place");
	@["plain", 7] = count();
	@["a;b\nc <\"&>", -1] = count();
	@sums["k"] = sum(-5);
	@sizes["k"] = quantize(1);
	@sizes["k"] = quantize(1000);
	@none = max(3);
	printa(@sums, @sizes);
	clear(@sums);
	printa(@sums);
	exit(0);
}
