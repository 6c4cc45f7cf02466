/*
 * A thread-local that nobody assigned.
 */
BEGIN
{
	trace(self->nosuch);
}
