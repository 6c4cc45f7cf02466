/*
 * tid tells threads of one pid apart.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known threads
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@pids[pid] = count();
	@tids[tid] = count();
}

END
{
	printa("pid %@d\n", @pids);
	printa("tid %@d\n", @tids);
}
