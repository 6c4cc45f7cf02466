/*
 * %d and %i print signed numbers.
 * @@args: -q
 */
BEGIN
{
	printf("[%d]\n", 0);
	printf("[%d]\n", -42);
	printf("[%i]\n", 42);
	printf("[%5d]\n", 42);
	printf("[%-5d]\n", 42);
	printf("[%05d]\n", 42);
	printf("[%+d]\n", 42);
	printf("[% d]\n", 42);
	printf("[%.4d]\n", 42);
	printf("[%6.4d]\n", -42);
	printf("[%+d]\n", -1);
	exit(0);
}
