/*
 * An enumerator of the kernel is a constant, after the script's own names.
 * @@args: -q
 */
enum mine { PIDTYPE_TGID = 77 };
BEGIN
{
	/* enum pid_type: PID, TGID, PGID, SID (include/linux/pid_types.h) */
	printf("%d %d %d\n", PIDTYPE_PID, PIDTYPE_SID, PIDTYPE_TGID);
	printf("%d\n", sizeof (enum pid_type));
	exit(0);
}
