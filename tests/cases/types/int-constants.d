/*
 * Integer constants come in decimal, octal, hex and binary.
 * @@args: -q
 */
BEGIN
{
	printf("%d %d %d %d\n", 10, 010, 0x1F, 0b101);
	printf("%d %d %d %d\n", 1u, 2UL, 3ll, 4LLU);
	printf("%d %d\n", 2147483648, 0xffffffffff);
	printf("%u\n", 18446744073709551615);
	exit(0);
}
