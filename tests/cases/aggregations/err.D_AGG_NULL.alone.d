/*
 * An aggregation alone is no statement.
 */
BEGIN
{
	@a = count();
	@a;
}
