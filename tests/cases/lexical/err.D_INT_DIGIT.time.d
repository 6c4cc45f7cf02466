/*
 * The units of time have one name each.
 */
BEGIN
{
	x = 10sec;
}
