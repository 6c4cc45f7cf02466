/*
 * The size of a stack's strings is a constant.
 */
BEGIN
{
	jstack(3, pid);
}
