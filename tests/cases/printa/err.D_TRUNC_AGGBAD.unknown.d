/*
 * trunc() of an aggregation that does not exist.
 */
BEGIN
{
	trunc(@nosuch);
}
