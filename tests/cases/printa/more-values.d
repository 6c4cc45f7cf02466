/*
 * Where a format has more values than there are aggregations, the last is
 * printed again.
 * @@args: -q
 */
BEGIN
{
	@a["key"] = sum(1);
	@b["key"] = sum(20);
	printa("%s %@d %@d %@x %@d\n", @a, @b);
	printa("%@d %@x %s %@d\n", @b);
	exit(0);
}
