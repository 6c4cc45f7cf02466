/*
 * arg0 to arg5 are a system call's arguments; arg6 to arg9 are 0.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known args
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%x %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5);
	printf("%d %d %d %d\n", arg6, arg7, arg8, arg9);
}
