/*
 * A scalar has no key.
 */
BEGIN
{
	x = 1;
	x[1] = 2;
}
