/*
 * An associative array keyed by a number; absent elements are 0.
 * @@args: -q
 */
BEGIN
{
	m[1] = 10;
	m[-1] = 20;
	m[1 << 20] = 30;
	printf("%d %d %d %d\n", m[1], m[-1], m[1048576], m[2]);
	m[1] = 0;
	printf("%d\n", m[1]);
	exit(0);
}
