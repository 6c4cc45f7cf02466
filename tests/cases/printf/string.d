/*
 * %s prints strings, with width and precision.
 * @@args: -q
 */
BEGIN
{
	printf("[%s]\n", "abc");
	printf("[%6s]\n", "abc");
	printf("[%-6s]\n", "abc");
	printf("[%.2s]\n", "abc");
	printf("[%6.2s]\n", "abc");
	printf("[%s]\n", "");
	printf("[%s]\n", probename);
	printf("[%10s]\n", execname);
	printf("[%s]\n", lltostr(5));
	exit(0);
}
