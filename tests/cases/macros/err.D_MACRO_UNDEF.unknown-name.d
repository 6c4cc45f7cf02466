/*
 * A macro variable that does not exist.
 */
BEGIN
{
	trace($nosuch);
}
