/*
 * A string may not contain a line's end.
 */
BEGIN
{
	s = "abc
	;
}
