/*
 * An inline names a constant or an expression.
 * @@args: -q
 */
inline int LIMIT = 40 + 2;
int x;
inline int twice = x * 2;
BEGIN
{
	x = 4;
	printf("%d %d\n", LIMIT, twice);
	x = 5;
	printf("%d\n", twice + LIMIT);
	exit(0);
}
