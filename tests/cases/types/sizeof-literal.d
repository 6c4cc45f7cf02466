/*
 * A string constant has the size of its characters and their end; a string has
 * that of strsize.
 * @@args: -q
 */
BEGIN
{
	s = "hi";
	printf("%d %d %d\n", sizeof ("hi"), sizeof (""), sizeof (s));
	exit(0);
}
