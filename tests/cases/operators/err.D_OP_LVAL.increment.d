/*
 * A constant cannot be incremented.
 */
BEGIN
{
	x = 1++;
}
