/*
 * Members of global, thread-local and clause-local structs can be assigned.
 * @@args: -q
 */
struct in { long a[3]; };
struct s { int i; char c; long l; struct in one, two; };
struct s g;
self struct s t;
this struct s u;

BEGIN
{
	g.i = 5;
	g.c = 300;
	g.l = 7;
	g.one.a[1] = 8;
	g.two = g.one;
	self->t = g;
	self->t.i = 3;
	this->u.l = 9;
	printf("%d %d %d %d\n", g.i, g.c, g.l, g.two.a[1]);
	printf("%d %d %d\n", self->t.i, self->t.two.a[1], this->u.l);
	exit(0);
}

ERROR
{
	exit(1);
}
