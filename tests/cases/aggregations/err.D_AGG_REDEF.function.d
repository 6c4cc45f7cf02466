/*
 * An aggregation keeps its function.
 */
BEGIN
{
	@a = count();
	@a = sum(1);
}
