/*
 * An associative array is used with its key.
 */
BEGIN
{
	m[1] = 2;
	trace(m);
}
