/*
 * A character constant is not empty.
 */
BEGIN
{
	x = '';
}
