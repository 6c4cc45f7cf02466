/*
 * An enumerator is found behind a backquote too, where it is the kernel's, not
 * the script's.
 * @@args: -q
 */
enum mine { PIDTYPE_TGID = 77 };
BEGIN
{
	printf("%d %d\n", PIDTYPE_TGID, `PIDTYPE_TGID);
	exit(0);
}
