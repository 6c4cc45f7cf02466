/*
 * An aggregation's key is one tuple.
 */
BEGIN
{
	@a[1][2] = count();
}
