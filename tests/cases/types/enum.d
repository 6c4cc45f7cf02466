/*
 * Enumeration constants are integers.
 * @@args: -q
 */
enum colour { RED, GREEN = 5, BLUE };
BEGIN
{
	printf("%d %d %d\n", RED, GREEN, BLUE);
	x = BLUE;
	printf("%d\n", x == 6 ? GREEN : RED);
	exit(0);
}
