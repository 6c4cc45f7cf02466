/*
 * A kernel whose types lack a member that a variable needs, or that has none,
 * is reported by name.
 * @@needs: cmd:unshare cmd:python3
 * @@exit: 1
 */
BEGIN
{
	trace(execargs);
	exit(0);
}
