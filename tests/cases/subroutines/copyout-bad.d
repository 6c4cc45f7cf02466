/*
 * copyout to where the process may not write is a fault.
 * @@args: -q -w
 * @@needs: prog:known write_user
 * @@run: $PROGS/known wild
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	copyout("abc", arg1, 3);
}
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	copyoutstr("abc", arg1, 3);
}
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	copyout((void *)0xffffdeadbeef0000, arg1, 3);
}
