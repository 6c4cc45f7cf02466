/*
 * An inline with parameters is used as a function, too; its argument is
 * evaluated once.
 * @@args: -q
 */
inline int twice[int x] = x + x;
inline string pick[int n, string a, string b] = n > 0 ? a : b;

BEGIN
{
	x = 5;
	printf("%d %d %s\n", twice(x), twice(twice(x++)), pick(x, "yes", "no"));
	@[pick(twice(-x), "yes", "no")] = sum(twice(3));
	twice(x++);
	printf("%d\n", x);
	exit(0);
}
