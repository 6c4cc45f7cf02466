/*
 * printa() of an aggregation that does not exist.
 */
BEGIN
{
	printa(@nosuch);
}
