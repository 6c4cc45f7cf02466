/*
 * ?: tests a scalar.
 */
BEGIN
{
	x = "a" ? 1 : 2;
}
