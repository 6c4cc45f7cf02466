/*
 * copyout writes bytes into the process, before it goes on.
 * @@args: -q -w
 * @@needs: prog:known write_user
 * @@run: $PROGS/known buffer
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	this->p = (char *)alloca(4);
	this->p[0] = 'X';
	this->p[3] = 'Y';
	copyout(this->p, arg1 + 2, 4);
	copyout("abc", arg1 + 12, 3);
	copyout("nothing", arg1, 0);
}
