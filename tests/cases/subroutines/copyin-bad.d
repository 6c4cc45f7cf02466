/*
 * copyin of an unmapped address is a fault that names it.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known wild
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d\n", *(int *)copyin(arg1, 4));
}
