/*
 * Of two values for one member the first counts.
 * @@args: -q
 */
struct out { int a; int b; };
translator struct out < int n > { a = n + 1; b = 7; a = n + 2; };
BEGIN
{
	this->o = xlate <struct out> (10);
	printf("%d %d %d\n", (xlate <struct out> (10)).a, this->o.a,
	    this->o.b);
	exit(0);
}
