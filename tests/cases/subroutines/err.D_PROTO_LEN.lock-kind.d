/*
 * The kind of lock is not an argument that one writes.
 */
BEGIN
{
	trace(rw_iswriter((void *)8, 1));
}
