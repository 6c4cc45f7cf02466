/*
 * index finds the first occurrence from a start, or -1.
 * @@args: -q
 */
BEGIN
{
	printf("%d\n", index("banana", "an"));
	printf("%d\n", index("banana", "an", 2));
	printf("%d\n", index("banana", "x"));
	printf("%d\n", index("banana", "an", -5));
	printf("%d\n", index("banana", "an", 4));
	printf("%d\n", index("banana", "banana"));
	printf("%d\n", index("banana", "bananas"));
	printf("%d\n", index("banana", ""));
	printf("%d\n", index("banana", "an", 99));
	exit(0);
}
