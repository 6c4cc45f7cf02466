/*
 * Minus and complement of an unsigned operand have its width.
 * @@args: -q
 */
unsigned int u;
unsigned char c;

BEGIN
{
	x = 4294967295;
	u = 1;
	c = 1;
	printf("%d %d\n", x == -1u, ~0u == 0xffffffff);
	printf("%d %d\n", x == -u, ~u == 0xfffffffe);
	printf("%d %d\n", -c, ~c);
	printf("%d %d\n", 255 == -c, -1 == ~0);
	printf("%d %d\n", -1ul == -1, ~0ul == -1);
	exit(0);
}
