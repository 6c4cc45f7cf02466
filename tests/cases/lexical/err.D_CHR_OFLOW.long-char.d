/*
 * A character constant has at most 8 characters.
 */
BEGIN
{
	x = '123456789';
}
