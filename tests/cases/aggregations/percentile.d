/*
 * percentile() of known values: 1 to 1000, and the same shuffled, negative or
 * none.  Each percentile is within 1 % of the true one.  normalize() divides
 * it, rows sort as distributions do, and -x aggpct has its own percents.
 * @@args: -q
 */
int i;

tick-1000hz
/i < 1000/
{
	i++;
	@all["up"] = percentile(i);
	@all["mixed"] = percentile((i * 617) % 1009);
	@all["three"] = percentile(i % 3);
	@some = percentile(i * 1000000, 1, 50, "99.9", "99.99", 100);
	@negative = percentile(-i, 50);
	@none = percentile(i, 50);
	clear(@none);
}

tick-1000hz
/i == 1000/
{
	printa(@all);
	printa("%s %@d\n", @all);
	printa(@some);
	printa(@negative);
	printa(@none);
	normalize(@some, 1000);
	printa(@some);
	trunc(@all, 1);
	exit(0);
}
