/*
 * An associative array may hold strings.
 * @@args: -q
 */
BEGIN
{
	m[1] = "one";
	m[2] = "two";
	printf("[%s] [%s] [%s]\n", m[1], m[2], m[3]);
	m[1] = m[2];
	printf("%s %d\n", m[1], m[1] == m[2]);
	exit(0);
}
