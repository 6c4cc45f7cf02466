/*
 * Several aggregations without a format: the values stand side by side.
 * @@args: -q
 */
BEGIN
{
	@a["x"] = sum(1);
	@a["y"] = sum(5);
	@b["x"] = sum(10);
	@b["y"] = sum(3);
	exit(0);
}

END { printa(@a, @b); }
