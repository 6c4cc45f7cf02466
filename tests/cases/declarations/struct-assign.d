/*
 * = copies structs, to variables and to elements of arrays.
 * @@args: -q
 */
struct s { int a; char b[4]; } x, y;
struct s z[int];
BEGIN
{
	x.a = 5;
	x.b[2] = 9;
	y = x;
	z[1] = x;
	x.a = 6;
	printf("%d %d %d %d\n", y.a, y.b[2], z[1].a, x.a);
	exit(0);
}
