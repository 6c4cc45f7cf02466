/*
 * The kind of a lock is no argument of the script's.
 */
BEGIN
{
	trace(rw_iswriter((void *)8, 1));
}
