/*
 * Several aggregations print in the order of their first use.
 * @@args: -q
 */
BEGIN
{
	@z = count();
	@a = sum(2);
	@m = max(3);
	exit(0);
}
