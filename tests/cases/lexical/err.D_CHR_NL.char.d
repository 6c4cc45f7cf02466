/*
 * Nor may a character constant.
 */
BEGIN
{
	x = 'a
	;
}
