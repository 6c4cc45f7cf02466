/*
 * Two clauses on the same system calls both run, each on its own subset.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:4
 */
syscall:::entry
/pid == $target && arg0 == 0x7001/
{
	@all = count();
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@one = count();
}

syscall::getpriority:return
/pid == $target/
{
	@ret = count();
}

END
{
	printa("%@d %@d %@d\n", @all, @one, @ret);
}
