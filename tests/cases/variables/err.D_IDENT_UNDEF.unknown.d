/*
 * A name that nobody declared or assigned.
 */
BEGIN
{
	trace(nosuch);
}
