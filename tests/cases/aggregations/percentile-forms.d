/*
 * percentile() in the other forms of the output, with units, and with option
 * aggpct.
 */
BEGIN
{
	@["a \"b\""] = percentile(1000, 50, "99.9");
	@["a \"b\""] = percentile(3000, 50, "99.9");
	@["c"] = percentile(-5, 50, "99.9");
	@["d"] = percentile(0x7fffffffffffffff, 50, "99.9");
	exit(0);
}
