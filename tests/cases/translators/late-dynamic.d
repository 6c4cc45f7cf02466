/*
 * Option late=dynamic: a translator may come after what uses it, in one run.
 */
struct out { int o; string s; };
BEGIN
{
	printf("%d %s\n", xlate <struct out> (2).o, xlate <struct out *> (2)->s);
	exit(0);
}
translator struct out < int x > { o = x + 1; s = lltostr(x); };
