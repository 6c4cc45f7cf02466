/*
 * The same address, taken for one of the kernel's, cannot be read.
 * @@args: -q
 * @@needs: kernel
 * @@run: $PROGS/callargs
 */
syscall::poll:entry
/pid == $target && arg1 == 2/
{
	trace(((struct pollfd *)arg0)->fd);
}

ERROR
{
	printf("%d %d\n", args[4], args[5] == arg5);
}
