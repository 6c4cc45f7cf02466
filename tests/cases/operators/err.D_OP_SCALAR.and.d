/*
 * && takes scalars.
 */
BEGIN
{
	x = "a" && 1;
}
