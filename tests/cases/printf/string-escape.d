/*
 * %S prints what is not printable as escapes.
 * @@args: -q
 */
BEGIN
{
	printf("[%S]\n", "a\tb\n");
	printf("[%S]\n", "abc");
	exit(0);
}
