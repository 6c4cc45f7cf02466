/*
 * ! takes a scalar.
 */
BEGIN
{
	x = !"a";
}
