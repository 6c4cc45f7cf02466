/*
 * printa() prints aggregations.
 */
BEGIN
{
	printa("%d", 1);
}
