/*
 * A struct that nobody declared has no size.
 */
BEGIN
{
	x = sizeof (struct nosuch);
}
