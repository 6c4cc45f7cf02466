/*
 * An aggregation is assigned an aggregating function.
 */
BEGIN
{
	@ = 1;
}
