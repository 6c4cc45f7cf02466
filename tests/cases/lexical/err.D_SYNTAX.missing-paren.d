/*
 * Parentheses come in pairs.
 */
BEGIN
{
	x = (1 + 2;
}
