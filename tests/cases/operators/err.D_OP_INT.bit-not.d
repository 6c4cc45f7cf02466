/*
 * ~ takes an integer.
 */
BEGIN
{
	x = ~"a";
}
