/*
 * A slash inside parentheses of a predicate divides.
 * @@args: -q
 */
BEGIN
/(10 / 2) == 5/
{
	printf("%d\n", 9 / 3);
	exit(0);
}
