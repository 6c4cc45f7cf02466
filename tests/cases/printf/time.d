/*
 * %Y prints a time of day, from ns.
 * @@args: -q
 */
BEGIN
{
	printf("[%Y]\n", (int64_t)0);
	printf("[%Y]\n", (int64_t)1000000000 * 1000000000);
	printf("[%Y]\n", (int64_t)951782400 * 1000000000 + 999999999);
	exit(0);
}
