/*
 * A part of an element of an associative array can be written: the rest of the
 * element stays, and is zero if there was none.  Keys are computed once.
 * @@args: -q
 */
struct s { int a; unsigned b:3; unsigned c:7; char n[8]; string t; struct { short v[3]; } in; };
struct s m[int];
self struct s w[string];
BEGIN {
	i = 5;
	m[1].a = 7;
	m[1].in.v[2] = 9;
	m[1].in.v[i - 4] += 3;
	m[1].a++;
	this->p = m[1].a--;
	m[1].b = 5;
	m[1].c = 100;
	m[1].c -= 1;
	m[1].t = "text";
	m[1].n[1] = 66;
	m[1].n[0] = 65;
	m[i++].a = 3;
	m[m[1].a].a = m[1].a + 1;
	printf("%d %d %d %d\n", i, m[5].a, m[6].a, m[7].a);
	print(m[1]);
	self->w[execname].in.v[0] -= 2;
	self->w["x"].t = execname;
	self->w[execname].a = 1;
	printf("%s", self->w["x"].t);
	printf("\n%d %d %d\n", self->w[execname].in.v[0], self->w[execname].a, self->w["x"].a);
	printf("%d\n", m[9].a);
	exit(0);
}
