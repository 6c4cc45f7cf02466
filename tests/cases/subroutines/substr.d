/*
 * substr follows Perl: negative index from the end, negative length drops.
 * @@args: -q
 */
BEGIN
{
	printf("[%s]\n", substr("abcdef", 2));
	printf("[%s]\n", substr("abcdef", 2, 3));
	printf("[%s]\n", substr("abcdef", 0, 1));
	printf("[%s]\n", substr("abcdef", -2));
	printf("[%s]\n", substr("abcdef", -3, 2));
	printf("[%s]\n", substr("abcdef", 1, -2));
	printf("[%s]\n", substr("abcdef", 6));
	printf("[%s]\n", substr("abcdef", 9));
	printf("[%s]\n", substr("abcdef", 2, 0));
	printf("[%s]\n", substr("abcdef", 2, 100));
	printf("[%s]\n", substr("abcdef", 2, -9));
	printf("[%s]\n", substr("", 0, 3));
	exit(0);
}
