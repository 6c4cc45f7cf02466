/*
 * And no more of them.
 */
BEGIN
{
	x = strjoin("a", "b", "c");
}
