/*
 * %p prints an address in hex.
 * @@args: -q
 */
BEGIN
{
	printf("[%p]\n", (void *)0xdeadbeef);
	printf("[%p]\n", (uintptr_t)16);
	exit(0);
}
