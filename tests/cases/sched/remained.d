/*
 * Ten times a thread yields its CPU, but no other one may have it.
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
