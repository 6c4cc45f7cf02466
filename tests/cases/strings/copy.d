/*
 * Assigning a string copies it.
 * @@args: -q
 */
BEGIN
{
	a = "one";
	b = a;
	a = "two";
	printf("%s %s\n", a, b);
	exit(0);
}
