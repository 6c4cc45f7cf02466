/*
 * h, l, ll and the like choose the size.
 * @@args: -q
 */
BEGIN
{
	printf("[%ld]\n", -1L);
	printf("[%lld]\n", -1L);
	printf("[%lu]\n", 1UL);
	printf("[%lx]\n", 0x123456789abcdefL);
	printf("[%llx]\n", 255L);
	printf("[%hd]\n", (short)-2);
	printf("[%hx]\n", (short)-1);
	printf("[%hu]\n", (short)-1);
	printf("[%lo]\n", 8L);
	printf("[%llX]\n", 0xabL);
	exit(0);
}
