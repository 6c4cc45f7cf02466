/*
 * aggsortpos says which of several aggregations sorts.
 * @@args: -q -x aggsortpos=1
 */
BEGIN
{
	@a["x"] = sum(1);
	@a["y"] = sum(5);
	@b["x"] = sum(10);
	@b["y"] = sum(3);
	exit(0);
}

END { printa("%s %@d %@d\n", @a, @b); }
