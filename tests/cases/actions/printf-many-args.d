/*
 * printf() takes many arguments of mixed types.
 * @@args: -q
 */
BEGIN
{
	printf("%d %s %c %x %d %s %u %o %d %d %d %d\n", 1, "two",
	    '3', 4, 5, "six", 7, 8, 9, 10, 11, 12);
	exit(0);
}
