/*
 * Linux has one zone, the global one.
 * @@args: -q
 */
BEGIN
/zonename == "global"/
{
	trace(zonename);
	exit(0);
}
