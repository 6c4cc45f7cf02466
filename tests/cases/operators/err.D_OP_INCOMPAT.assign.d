/*
 * A variable keeps its type.
 */
BEGIN
{
	x = 1;
	x = "a";
}
