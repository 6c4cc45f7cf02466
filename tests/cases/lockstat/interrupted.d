/*
 * Ten signals end the wait for a mutex: an error, EINTR, each.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel interrupted 10
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

lockstat:::adaptive-acquire-error
/self->on/
{
	@[probename, args[1] == EINTR] = count();
}

END
{
	printa("%s %d: %@d\n", @);
}
