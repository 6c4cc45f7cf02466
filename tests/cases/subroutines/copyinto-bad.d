/*
 * copyinto names the address that it cannot use.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known wild
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	copyinto(arg1, 4, alloca(4));
}
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	copyinto(arg1, 4, (void *)0xffffdeadbeef0000);
}
