/*
 * Pages that go to swap space and come back.
 * @@args: -q
 * @@needs: prog:kernel cmd:mkswap
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

vminfo:::anonpgin, vminfo:::anonpgout, vminfo:::fspgin, vminfo:::fspgout,
vminfo:::pgpgin, vminfo:::pgpgout
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
