/*
 * Keys may be expressions, also on both sides of an assignment.
 * @@args: -q
 */
BEGIN
{
	m[1 + 1] = 5;
	m[m[2]] = m[2] + 1;
	printf("%d %d\n", m[2], m[5]);
	exit(0);
}
