/*
 * Empty statements and a missing last semicolon are fine.
 * @@args: -q
 */
BEGIN
{
	;;
	printf("a\n");;
	exit(0)
}
