/*
 * A translated struct prints whole, and so does a member of it.
 * @@args: -q
 */
typedef struct pair { int8_t low; uint64_t high; } pair_t;
typedef struct out {
	int i;
	string s;
	pair_t p;
} out_t;

translator out_t <int IN> {
	i = 2 * IN;
	s = strjoin("twice ", "ten");
};

translator pair_t <int IN> {
	low = 0x41;
	high = 0x8877665544332211;
};

BEGIN
{
	print(xlate<out_t>(10));
	printf("\n");
	print(*xlate<pair_t *>(1));
	printf("\n");
	print(xlate<out_t *>(4)->i);
	print(xlate<out_t *>(4)->s);
	exit(0);
}
