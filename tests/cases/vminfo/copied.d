/*
 * Memory that is read first has one page of zeroes, which is replaced when it
 * is written to.
 * @@args: -q
 * @@needs: prog:kernel faults
 * @@run: $PROGS/kernel copied 3
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
