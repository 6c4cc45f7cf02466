/*
 * uid and gid are those of the process, not of dtrace.
 * @@args: -q
 * @@needs: cmd:setpriv kernel
 * @@run: setpriv --reuid=1234 --regid=2345 --clear-groups true
 */
syscall::exit_group:entry
/pid == $target/
{
	printf("%d %d %d %d\n", uid, gid, $uid == uid, $gid == gid);
}
