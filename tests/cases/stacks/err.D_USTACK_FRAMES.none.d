/*
 * A stack has one frame at least.
 */
BEGIN
{
	ustack(0);
}
