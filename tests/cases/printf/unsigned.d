/*
 * %u, %o, %x and %X print unsigned numbers.
 * @@args: -q
 */
BEGIN
{
	printf("[%u]\n", 42);
	printf("[%o]\n", 64);
	printf("[%x]\n", 0xbeef);
	printf("[%X]\n", 0xbeef);
	printf("[%#x]\n", 255);
	printf("[%#X]\n", 255);
	printf("[%#o]\n", 8);
	printf("[%08x]\n", 0xabc);
	printf("[%-8x]\n", 0xabc);
	printf("[%#010x]\n", 0xabc);
	exit(0);
}
