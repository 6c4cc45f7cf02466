/*
 * stringof() of a process's address is a fault in the kernel; the hint names
 * copyinstr().
 * @@args: -q
 * @@needs: prog:known kernel
 * @@run: $PROGS/known wild
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%s\n", stringof(arg1));
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d\n", *(int *)arg1);
}
