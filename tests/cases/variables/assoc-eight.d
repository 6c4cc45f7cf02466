/*
 * A key may have eight components.
 * @@args: -q
 */
BEGIN
{
	m[1, 2, 3, 4, 5, 6, 7, "h"] = 8;
	m[1, 2, 3, 4, 5, 6, 7, "i"] = 9;
	printf("%d %d %d\n", m[1, 2, 3, 4, 5, 6, 7, "h"],
	    m[1, 2, 3, 4, 5, 6, 7, "i"],
	    m[1, 2, 3, 4, 5, 6, 8, "h"]);
	exit(0);
}
