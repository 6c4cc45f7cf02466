/*
 * normalize() of an aggregation that does not exist.
 */
BEGIN
{
	normalize(@nosuch, 2);
}
