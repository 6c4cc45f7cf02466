/*
 * A clause has an end.
 */
BEGIN
{
	x = 1;
