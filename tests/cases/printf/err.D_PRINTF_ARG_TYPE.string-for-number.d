/*
 * %d prints numbers.
 */
BEGIN
{
	printf("%d\n", "a");
}
