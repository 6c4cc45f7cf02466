/*
 * Statements are separated by semicolons.
 */
BEGIN
{
	x = 1
	y = 2;
}
