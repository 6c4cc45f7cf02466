/*
 * What of a value lies beyond printsize is not recorded, and shows as "...".
 * @@args: -q -x printsize=64
 */
struct big {
	int first;
	char text[56];
	int here;
	int beyond;
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
