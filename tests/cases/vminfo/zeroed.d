/*
 * Memory that is written to for the first time: a fault and a page for each.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel zeroed 5
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

vminfo:::as_fault, vminfo:::cow_fault, vminfo:::prot_fault, vminfo:::zfod
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
