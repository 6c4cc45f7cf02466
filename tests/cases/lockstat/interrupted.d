/*
 * Ten signals end the wait for a mutex: an error, EINTR, each.  As of Linux 7.0
 * a tracer's attach does not wait for a process that is executing a program.
 * @@args: -q
 * @@needs: prog:kernel before:7.0
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
