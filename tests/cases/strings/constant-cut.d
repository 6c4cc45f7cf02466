/*
 * A string constant that is longer than strsize is cut like any other string.
 * @@args: -q -x strsize=8
 */
BEGIN
{
	printf("[%s]\n", "0123456789");
	exit(0);
}
