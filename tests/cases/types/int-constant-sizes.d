/*
 * A constant has the first of C's types that holds it.
 * @@args: -q
 */
BEGIN
{
	printf("%d %d\n", sizeof (1), sizeof (2147483648));
	printf("%d %d\n", sizeof (1L), sizeof (1U));
	printf("%d %d\n", sizeof (0xffffffff), sizeof ('a'));
	exit(0);
}
