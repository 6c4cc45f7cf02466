/*
 * A page of a file that is not in memory.
 * @@args: -q
 * @@needs: prog:kernel cmd:losetup cmd:mkfs.ext4
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

vminfo:::maj_fault, vminfo:::as_fault
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
