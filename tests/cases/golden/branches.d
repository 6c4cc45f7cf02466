/*
 * Compiled and saved: decisions in clauses and in expressions.
 */
int x;
long long big;
unsigned char small;

BEGIN
{
	if (x > 3 && big < -1 || !small) {
		x = small ? big ? 1 : 2 : 3;
	} else if ((x ^ 5) == 0) {
		big = (x, small) * -x % 7;
	} else {
		small += 300;
		exit(small);
	}
	trace(small-- - ++x);
}

dtrace:::ERROR
/arg4 == 1/
{
	printf("%d %d %d %d %#p", arg1, arg2, arg3, arg4, arg5);
}

END
{
}
