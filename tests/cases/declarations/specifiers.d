/*
 * Specifiers of integers come in any order.
 * @@args: -q
 */
long unsigned int long a;
short unsigned b;
signed char c;
int long d;
_Bool e;
float f;
double g;
const volatile int h;
BEGIN
{
	printf("%d %d %d %d %d %d %d\n", sizeof (a), sizeof (b), sizeof (c),
	    sizeof (d), sizeof (e), sizeof (f), sizeof (g));
	exit(0);
}
