/*
 * Remainder by the constant 0.
 */
BEGIN
{
	x = 1 % (2 - 2);
}
