/*
 * A field is as wide as one likes.
 * @@args: -q
 */
BEGIN
{
	@["key"] = count();
	printa("%@70000d|%s", @);
	printf("%100000d|%-*s|", 1, 70000, "x");
	exit(0);
}
