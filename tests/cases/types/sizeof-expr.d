/*
 * sizeof of an expression takes its type and evaluates nothing.
 * @@args: -q
 */
short s;
struct pair { int a; long b; char c; };
BEGIN
{
	x = 1;
	s = 1;
	printf("%d %d\n", sizeof (x), sizeof (s));
	printf("%d\n", sizeof (x++));
	printf("%d\n", x);
	printf("%d %d\n", sizeof x, sizeof pid);
	printf("%d\n", sizeof (struct pair));
	printf("%d\n", sizeof (timestamp));
	exit(0);
}
