/*
 * A subroutine with too few arguments.
 */
BEGIN
{
	x = strlen();
}
