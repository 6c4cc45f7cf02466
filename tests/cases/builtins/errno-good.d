/*
 * errno is 0 when the call succeeds.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known good
 */
syscall::dup:return
/pid == $target/
{
	printf("%d %d\n", errno, arg0 > 0);
	self->fd = arg0;
}

syscall::close:entry
/pid == $target && self->fd && arg0 == self->fd/
{
	self->in = 1;
}

syscall::close:return
/self->in/
{
	printf("%d %d\n", errno, arg0);
	self->in = 0;
}
