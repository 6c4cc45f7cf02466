/*
 * - takes a number.
 */
BEGIN
{
	x = -"a";
}
