/*
 * With agghist, count() and sum() are drawn: one row for each key, and a bar
 * for its share of all.  Other functions are printed as ever.
 * @@args: -q -x agghist
 */
BEGIN
{
	@s["a"] = sum(10);
	@s["b"] = sum(20);
	@s["cc"] = sum(70);
	@n[1, "x"] = count();
	@n[2, "y"] = count();
	@n[2, "y"] = count();
	@m["a"] = max(3);
	exit(0);
}
