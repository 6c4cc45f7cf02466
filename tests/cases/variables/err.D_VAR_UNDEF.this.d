/*
 * A clause-local that nobody assigned.
 */
BEGIN
{
	trace(this->nosuch);
}
