/*
 * With aggnonzero, rows whose values are 0 or were cleared are left out.  A row
 * of joined aggregations stays if one value is not 0, and so does a least value
 * that is 0.
 * @@args: -q
 */
#pragma D option aggnonzero

BEGIN
{
	@sums["back"] = sum(1);
	@sums["back"] = sum(-1);
	@sums["kept"] = sum(-2);
	@sums["second"] = sum(0);
	@counts["second"] = count();
	@least["zero"] = min(0);
	@cleared["gone"] = count();
	@cleared["gone"] = count();
	clear(@cleared);
	@spread["gone"] = quantize(1);
	@spread["gone"] = quantize(1, -1);
	printa("%s %@d %@d\n", @sums, @counts);
	printa(@least);
	printa(@cleared);
	printa(@spread);
	setopt("aggnonzero", "off");
	printa("%s %@d\n", @cleared);
	exit(0);
}
