/*
 * String keys take 50 columns, rows are sorted by value.
 * @@args: -q
 */
BEGIN
{
	@["bb"] = sum(2);
	@["a"] = sum(3);
	@["ccc"] = sum(1);
	exit(0);
}
