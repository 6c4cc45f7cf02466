/*
 * A subroutine with too many arguments.
 */
BEGIN
{
	x = strjoin("a", "b", "c");
}
