/*
 * Members that printsize cut off are null, or missing at an array's end.
 */
struct big {
	long v[7];
	int here, last, beyond;
};
struct list { long v[16]; };
struct big b;
struct list l;

BEGIN
{
	b.here = 1;
	l.v[7] = 8;
	print(b);
	print(l);
	exit(0);
}
