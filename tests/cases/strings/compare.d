/*
 * Strings compare byte by byte with all six operators.
 * @@args: -q
 */
BEGIN
{
	a = "apple";
	b = "banana";
	printf("%d %d\n", a == "apple", a == b);
	printf("%d %d\n", a != b, a != "apple");
	printf("%d %d %d\n", a < b, b < a, a < "apple");
	printf("%d %d %d\n", a <= b, a <= "apple", b <= a);
	printf("%d %d %d\n", b > a, a > b, a > "apple");
	printf("%d %d %d\n", b >= a, a >= "apple", a >= b);
	printf("%d %d\n", "a" < "ab", "Z" < "a");
	exit(0);
}
