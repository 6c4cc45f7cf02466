/*
 * const, volatile and restrict are accepted where C has them and change no
 * type.
 * @@args: -q
 */
volatile int x;
char *restrict p;
const char *const volatile q;
struct s { volatile unsigned bits : 3; const int *restrict r; };
BEGIN
{
	x = 3;
	printf("%d %d %d %d\n", x, sizeof (p), sizeof (q), sizeof (struct s));
	exit(0);
}
