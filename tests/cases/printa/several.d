/*
 * printa() of several aggregations joins their rows by key.
 * @@args: -q
 */
BEGIN
{
	@a["x"] = sum(1);
	@a["y"] = sum(5);
	@b["x"] = sum(10);
	@b["z"] = sum(30);
	exit(0);
}

END { printa("%s %@d %@d\n", @a, @b); }
