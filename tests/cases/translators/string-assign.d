/*
 * A string member of a struct variable takes strings and keeps them.
 * @@args: -q
 */
struct s { int a; string name; int b; };
struct s x;
BEGIN
{
	x.a = 1; x.b = 2; x.name = "first"; x.name = "no";
	printf("%d %s %d %d\n", x.a, x.name, x.b, sizeof (struct s));
	exit(0);
}
