/*
 * Strings know C's escapes.
 * @@args: -q
 */
BEGIN
{
	printf("%s", "a\tb\\c\"d\n");
	printf("%s\n", "\x41\102C");
	printf("%d\n", strlen("a\0b"));
	exit(0);
}
