/*
 * strchr, strrchr and strstr give NULL when there is nothing.
 * @@args: -q
 */
BEGIN
{
	printf("%d\n", strchr("banana", 'x') == NULL);
	printf("%d\n", strrchr("banana", 'x') == NULL);
	printf("%d\n", strstr("banana", "x") == NULL);
	printf("%d\n", strchr("banana", 'n') == NULL);
	printf("%d\n", strrchr("", 'x') == NULL);
	exit(0);
}
