/*
 * %lc and %wc print wide characters.
 * @@args: -q
 */
BEGIN
{
	printf("[%lc]\n", 0x41);
	printf("[%wc]\n", 0x42);
	exit(0);
}
