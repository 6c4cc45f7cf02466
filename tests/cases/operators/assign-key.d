/*
 * A key that is kept while the right side is computed keeps all its bits, as
 * the same key does elsewhere.
 * @@args: -q
 */
int64_t a[int64_t];

BEGIN
{
	i = (int)0x7fffffff;
	u = (uint32_t)3000000000;
	a[i + 1] = 5;
	a[i + 1] += (n = 2);
	a[i * 4] = 50;
	a[i * 4] += (n = 20);
	a[-u] = 500;
	a[-u] += (n = 200);
	printf("%d %d %d\n", a[i + 1], a[i * 4], a[-u]);
	exit(0);
}
