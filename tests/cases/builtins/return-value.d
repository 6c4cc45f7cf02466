/*
 * At a return arg0 and arg1 are the result; errno tells a failure.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known fail
 */
syscall::close:entry
/pid == $target && (int)arg0 == -1/
{
	self->in = 1;
	printf("%d\n", errno);
}

syscall::close:return
/self->in/
{
	printf("%d %d %d\n", (int)arg0, (int)arg1, errno);
	self->in = 0;
}
