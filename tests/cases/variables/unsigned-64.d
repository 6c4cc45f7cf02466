/*
 * A 64-bit unsigned value survives a global and a key.
 * @@args: -q
 */
uint64_t u;
BEGIN
{
	u = 0xfffffffffffffffe;
	m[u] = u + 1;
	printf("%u %u\n", u, m[u]);
	printf("%d\n", u > 5);
	exit(0);
}
