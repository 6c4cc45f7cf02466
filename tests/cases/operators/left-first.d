/*
 * An assignment such as += reads its left side before it evaluates the right
 * one, and stores where the left side was then.
 * @@args: -q
 */
struct s { int x; short y[4]; } st;
struct s els[int];

BEGIN
{
	n = 5;
	n += (n = 10);
	printf("%d\n", n);
	n -= n++;
	printf("%d\n", n);
	i = 1;
	a[i, "k"] = 7;
	a[i, "k"] += (a[i, "k"] = 100) + (i = 2);
	printf("%d %d %d\n", a[1, "k"], a[2, "k"], i);
	st.x = 3;
	st.x *= (st.x = 5);
	i = 1;
	st.y[i] = 11;
	st.y[i] += (i = 2);
	printf("%d %d %d\n", st.x, st.y[1], st.y[2]);
	els[4].x = 6;
	els[4].x += (els[4].x = 50);
	printf("%d\n", els[4].x);
	self->v[4] = 1;
	self->v[4] <<= (self->v[4] = 4);
	printf("%d\n", self->v[4]);
	exit(0);
}
