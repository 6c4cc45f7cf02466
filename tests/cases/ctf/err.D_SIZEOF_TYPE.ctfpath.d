/*
 * A file of types that is malformed is refused with the place at fault.
 * @@args: -x ctfpath=/etc/hostname
 */
BEGIN
{
	trace(sizeof (struct task_struct));
}
