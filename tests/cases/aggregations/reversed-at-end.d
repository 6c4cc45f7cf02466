/*
 * Option aggsortrev reverses the aggregations at the end, too.
 * @@args: -q -x aggsortrev
 */
BEGIN
{
	@a["one"] = sum(1); @a["two"] = sum(2);
	@b["three"] = sum(3); @b["four"] = sum(4);
	exit(0);
}
