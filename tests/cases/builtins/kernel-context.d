/*
 * ipl, stackdepth and caller make sense in a system call.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known args
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d %d\n", ipl, stackdepth > 0 && stackdepth < 128);
	printf("%d\n", caller == 0 || caller > 0xffff800000000000);
}
