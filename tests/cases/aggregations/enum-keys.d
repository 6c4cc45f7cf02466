/*
 * Keys that are enumerators print by name, in the columns of strings; those
 * without a name as numbers there.  The order is that of the numbers.
 * @@args: -q -x aggsortkey
 */
enum color { RED = 2, BLUE = 1 };

BEGIN
{
	@["x", (enum color)1] = count();
	@["x", (enum color)2] = count();
	@["x", (enum color)77] = count();
	@q[(enum color)2] = quantize(1);
	printa("%s %-6s %@d\n", @);
	printa(@);
	printa(@q);
	setopt("aggpack");
	printa(@q);
	exit(0);
}
