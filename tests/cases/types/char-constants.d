/*
 * Character constants know C's escapes and pack up to 8 characters.
 * @@args: -q
 */
BEGIN
{
	printf("%d %d %d\n", 'A', '\n', '\0');
	printf("%d %d %d\n", '\x41', '\101', '\\');
	printf("%d %d\n", '\'', '\t');
	printf("%x\n", 'AB');
	printf("%x\n", 'ABCDEFGH');
	exit(0);
}
