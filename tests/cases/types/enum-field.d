/*
 * An enumerator has its name in a bit-field, too, whatever its sign there.
 */
enum e { MINUS = -1, ONE = 1, SIX = 6 };
struct s { enum e a:3; enum e b:3; enum e c; };
struct s x;
BEGIN
{
	x.a = SIX;
	x.b = ONE;
	x.c = MINUS;
	print(x);
	exit(0);
}
