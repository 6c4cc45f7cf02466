/*
 * Ten times a thread offers its CPU to others, of whom none may have it.
 * @@args: -q
 * @@needs: prog:kernel tracepoint:sched_exit_tp
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

sched:::remain-cpu, sched:::surrender
/self->on/
{
	@[probename] = count();
}

END
{
	printa("%s %@d\n", @);
}
