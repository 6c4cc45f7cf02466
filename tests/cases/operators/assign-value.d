/*
 * An assignment is an expression with the assigned value.
 * @@args: -q
 */
BEGIN
{
	x = y = 4;
	printf("%d %d\n", x, y);
	printf("%d\n", x = 9);
	printf("%d\n", (x += 2) * 2);
	exit(0);
}
