/*
 * A key has as many components as its first use.
 */
BEGIN
{
	m[1, 2] = 3;
	m[1] = 4;
}
