/*
 * A thread waits for a mutex that another one holds for a while.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel mutex
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

sysinfo:::mutex_adenters, sysinfo:::rw_rdfails, sysinfo:::rw_wrfails
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
