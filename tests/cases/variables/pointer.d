/*
 * A variable may hold a pointer.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known str
 */
syscall::access:entry
/pid == $target/
{
	self->p = arg0;
}

syscall::access:return
/self->p/
{
	printf("%s\n", copyinstr(self->p));
	self->p = 0;
}
