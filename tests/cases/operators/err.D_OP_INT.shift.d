/*
 * Shifts take integers.
 */
BEGIN
{
	x = 1 << "a";
}
