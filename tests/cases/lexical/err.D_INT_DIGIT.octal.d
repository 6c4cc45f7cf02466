/*
 * An octal constant has no 8 or 9.
 */
BEGIN
{
	x = 089;
}
