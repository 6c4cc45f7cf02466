/*
 * pid, tid, ppid, uid, gid and execname describe the caller.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known args
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d %d %d\n", pid == $target, tid == pid, ppid == $pid);
	printf("%d %d %s\n", uid == $uid, gid == $gid, execname);
}
