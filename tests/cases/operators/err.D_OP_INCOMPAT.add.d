/*
 * + takes no strings.
 */
BEGIN
{
	x = "a" + "b";
}
