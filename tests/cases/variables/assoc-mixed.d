/*
 * A key may be a tuple of mixed types.
 * @@args: -q
 */
BEGIN
{
	m["a", 1, pid] = 1;
	m["a", 2, pid] = 2;
	m["b", 1, pid] = 3;
	printf("%d %d %d %d\n", m["a", 1, pid], m["a", 2, pid],
	    m["b", 1, pid], m["b", 2, pid]);
	m["a", 1, pid] += 10;
	printf("%d\n", m["a", 1, pid]);
	exit(0);
}
