/*
 * A string compares with strings.
 */
BEGIN
{
	x = "a" == 1;
}
