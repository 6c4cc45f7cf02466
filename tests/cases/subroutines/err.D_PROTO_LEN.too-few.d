/*
 * Subroutines take the arguments they take.
 */
BEGIN
{
	x = strlen();
}
