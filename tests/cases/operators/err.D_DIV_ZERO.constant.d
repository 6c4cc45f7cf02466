/*
 * Division by the constant 0.
 */
BEGIN
{
	x = 1 / 0;
}
