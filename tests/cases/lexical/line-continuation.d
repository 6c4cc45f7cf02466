/*
 * A backslash before the end of a line is nothing.
 * @@args: -q
 */
BEGIN
{
	printf("%d\n", \
	    1);
	exit \
(0);
}
