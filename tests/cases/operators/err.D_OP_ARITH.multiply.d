/*
 * * takes numbers.
 */
BEGIN
{
	x = "a" * 2;
}
