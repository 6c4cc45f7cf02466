/*
 * Operators bind as in C, with ^^ between && and ||.
 * @@args: -q
 */
BEGIN
{
	printf("%d\n", 2 + 3 * 4);
	printf("%d\n", (2 + 3) * 4);
	printf("%d\n", 10 - 4 - 3);
	printf("%d\n", 1 + 2 << 3);
	printf("%d\n", 1 << 2 + 3);
	printf("%d\n", 7 & 3 == 3);
	printf("%d\n", 4 | 2 ^ 2 & 1);
	printf("%d\n", 1 < 2 == 1);
	printf("%d\n", 1 || 0 && 0);
	printf("%d\n", 1 ^^ 1 && 0);
	printf("%d\n", 1 || 1 ^^ 1);
	printf("%d\n", -2 * -3);
	printf("%d\n", !1 + 1);
	printf("%d\n", ~1 & 3);
	printf("%d\n", 100 / 10 / 5);
	printf("%d\n", 100 % 7 * 2);
	printf("%d\n", 0 ? 1 : 0 ? 2 : 3);
	exit(0);
}
