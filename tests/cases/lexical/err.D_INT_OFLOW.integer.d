/*
 * An integer constant fits 64 bits.
 */
BEGIN
{
	x = 18446744073709551616;
}
