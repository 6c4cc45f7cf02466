/*
 * Faults are the traps that Linux tells of.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel zeroed 4
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

sysinfo:::trap
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
