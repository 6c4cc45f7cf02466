/*
 * curthread is one address per thread.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known threads
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@n[curthread != NULL] = count();
	@t[curthread] = count();
}

END
{
	printa("%d %@d\n", @n);
	printa("thread %@d\n", @t);
}
