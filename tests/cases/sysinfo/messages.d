/*
 * Calls for messages and semaphores of System V.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel messages 3
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

sysinfo:::msg, sysinfo:::sema
/self->on/
{
	@[probename] = sum(arg0);
	@counters = max(arg1);
}

END
{
	printa("%s %@d\n", @);
	printa("%@d\n", @counters);
}
