/*
 * What Linux does not keep of a process has no translation.
 */
BEGIN
{
	trace(curpsinfo->pr_poolid);
}
