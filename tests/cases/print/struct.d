/*
 * print() shows a struct member by member: type, name, width of a bit-field,
 * value; integers in hexadecimal, characters as such, enumerators by name, and
 * nested structs, arrays of structs and anonymous members in lines of their
 * own.
 * @@args: -q
 */
enum color { RED, GREEN = 5, BLUE };
union both { int i; char c[4]; };
struct in { short s; char name[8]; };
struct all {
	int a;
	unsigned low : 3;
	unsigned high : 5;
	char ch;
	enum color col, bad;
	union both u;
	struct in in[2];
	int arr[3];
	char raw[4];
	void *p;
	struct in *q;
	uint8_t u8;
	int8_t i8;
	struct { int x; union { int y; short z; }; };
	struct { int k; } named;
	double d;
	char grid[2][4];
};
struct all f;

BEGIN
{
	f.a = -1;
	f.low = 5;
	f.high = 17;
	f.ch = 'x';
	f.col = BLUE;
	f.bad = 9;
	f.u.i = 0x61626364;
	f.in[0].name[0] = 'h';
	f.in[0].name[1] = 'i';
	f.in[1].s = 3;
	f.arr[2] = 7;
	f.raw[0] = 1;
	f.p = (void *)0x1234;
	f.i8 = -1;
	f.x = 3;
	f.y = 4;
	f.named.k = 9;
	f.grid[0][0] = 'a';
	print(f);
	exit(0);
}
