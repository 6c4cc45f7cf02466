/*
 * $pid, $ppid, $uid, $euid, $gid and $egid are those of dtrace.
 * @@args: -q
 */
BEGIN
{
	printf("%d %d\n", $pid == pid, $ppid == ppid);
	printf("%d %d\n", $uid == uid, $gid == gid);
	printf("%d %d\n", $euid == uid, $egid == gid);
	printf("%d\n", $pid != $ppid);
	printf("%d %d\n", $sid > 0, $pgid > 0);
	printf("%d\n", $$pid == lltostr($pid));
	exit(0);
}
