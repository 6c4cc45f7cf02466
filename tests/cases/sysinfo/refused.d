/*
 * A fork is refused, as the user has too many processes.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel refused
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

sysinfo:::sysfork, sysinfo:::nthreads, sysinfo:::procovf
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
