/*
 * An inline with parameters is its expression with the arguments in their
 * place.
 * @@args: -q
 */
inline int twice[int x] = x * 2;
inline string pick[int n, string a, string b] = n > 0 ? a : b;
BEGIN
{
	x = 5;
	printf("%d %d %s %s\n", twice[x], twice[3 + 4], pick[x, "yes", "no"],
	    pick[-x, "yes", "no"]);
	exit(0);
}
