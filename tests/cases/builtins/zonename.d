/*
 * Outside of containers, zonename is "global".
 * @@args: -q
 */
BEGIN
/zonename == "global"/
{
	trace(zonename);
	exit(0);
}
