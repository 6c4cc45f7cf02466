/*
 * lltostr writes numbers in bases 2 to 36.
 * @@args: -q
 */
BEGIN
{
	printf("[%s]\n", lltostr(0));
	printf("[%s]\n", lltostr(-42));
	printf("[%s]\n", lltostr(1234567890123));
	printf("[%s]\n", lltostr(255, 16));
	printf("[%s]\n", lltostr(8, 8));
	printf("[%s]\n", lltostr(5, 2));
	printf("[%s]\n", lltostr(35, 36));
	printf("[%s]\n", lltostr(42, 10));
	printf("[%s]\n", lltostr(-1, 16));
	printf("[%s]\n", lltostr(27, 3));
	printf("[%s]\n", lltostr((long)0x8000000000000000));
	exit(0);
}
