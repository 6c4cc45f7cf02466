/*
 * $target is the process of -c.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known args
 */
syscall::getpriority:entry
/arg0 == 0x7001 && pid == $target/
{
	printf("%d %s\n", ppid == $pid, execname);
}
