/*
 * %T prints a time as mail headers do.
 * @@args: -q
 */
BEGIN
{
	printf("[%T]\n", (int64_t)1000000000 * 1000000000);
	exit(0);
}
