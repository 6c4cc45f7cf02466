/*
 * Values have the shape of their types.
 */
enum color { RED, GREEN = 5 };
struct in { short s; char name[8]; };
struct all {
	int a;
	unsigned low : 3;
	int neg : 4;
	enum color col, bad;
	struct in in[2];
	int arr[3];
	union { unsigned u; char ch; };
	_Bool ok;
	void *p;
	char raw[3];
	double d;
	uint64_t big;
};
struct all f;
struct in one;

BEGIN
{
	f.a = -1;
	f.low = 5;
	f.neg = -2;
	f.col = GREEN;
	f.bad = 9;
	f.in[1].s = -3;
	f.in[1].name[0] = 'h';
	f.in[1].name[1] = 'i';
	f.arr[2] = 7;
	f.u = 65;
	f.ok = 1;
	f.p = (void *)4096;
	f.raw[2] = 1;
	f.big = 0xffffffffffffffff;
	print(f);
	print((enum color)5);
	print((_Bool)1);
	one.s = 4;
	trace(one);
	trace(f.big);
	@[GREEN, (char)65] = sum(-1);
	exit(0);
}
