/*
 * %s prints strings.
 */
BEGIN
{
	printf("%s\n", 1);
}
