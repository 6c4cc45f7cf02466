/*
 * Pages that a child has, too, are copied when they are written to; those of a
 * file are not, nor one that may not be written to.
 * @@args: -q
 * @@needs: prog:kernel cmd:losetup cmd:mkfs.ext4
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

vminfo:::cow_fault
/self->on/
{
	@[probename] = sum(arg0);
	@counters = max(arg1);
}

/* also of the stack, whose pages are the process's alone again */
vminfo:::prot_fault
/self->on/
{
	faults++;
}

END
{
	printf("%d\n", faults >= 3 + 3 + 1);
	printa("%s %@d\n", @);
	printa("%@d\n", @counters);
}
