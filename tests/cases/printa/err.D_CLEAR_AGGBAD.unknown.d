/*
 * clear() of an aggregation that does not exist.
 */
BEGIN
{
	clear(@nosuch);
}
