/*
 * Structs and unions nest, with anonymous ones, arrays and bit-fields, as in C.
 * @@args: -q
 */
struct s {
	char c;
	struct { int b; union { int i; char d[4]; }; };
	int a[3][2];
	unsigned f : 3, g : 5;
	int : 0;
	struct s *next;
};
struct s v;
BEGIN
{
	v.i = 0x41424344;
	v.a[2][1] = 7;
	v.f = 9;
	v.g = 17;
	printf("%d %d %c %d %d %d\n", sizeof (struct s), offsetof(struct s, a),
	    v.d[1], v.a[2][1], v.f, v.g);
	exit(0);
}
