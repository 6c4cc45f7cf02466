/*
 * Bit operators take integers.
 */
BEGIN
{
	x = "a" & 2;
}
