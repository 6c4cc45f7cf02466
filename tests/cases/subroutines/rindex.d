/*
 * rindex finds the last occurrence up to a start, or -1.
 * @@args: -q
 */
BEGIN
{
	printf("%d\n", rindex("banana", "an"));
	printf("%d\n", rindex("banana", "an", 2));
	printf("%d\n", rindex("banana", "an", 0));
	printf("%d\n", rindex("banana", "x"));
	printf("%d\n", rindex("banana", "an", 99));
	printf("%d\n", rindex("banana", "b", 0));
	printf("%d\n", rindex("banana", "a"));
	exit(0);
}
