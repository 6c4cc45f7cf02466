/*
 * threadname is the name of the thread, which it may change.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known args
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%s %d\n", threadname, sizeof(threadname) == sizeof(execname));
	@[threadname] = count();
}
