/*
 * Arguments have the type they have.
 */
BEGIN
{
	x = strlen(12);
}
