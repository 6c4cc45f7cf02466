/*
 * The comma operator gives its right side.
 * @@args: -q
 */
BEGIN
{
	x = (1, 2, 3);
	printf("%d\n", x);
	x = 5, y = x + 1;
	printf("%d %d\n", x, y);
	exit(0);
}
