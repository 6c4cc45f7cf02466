/*
 * printa() takes whole aggregations.
 */
BEGIN
{
	@a[1] = count();
	printa(@a[1]);
}
