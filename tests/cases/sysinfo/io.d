/*
 * Reads and writes of a program, and their bytes.
 * @@args: -q
 * @@needs: prog:files
 * @@run: $PROGS/files
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

sysinfo:::sysread, sysinfo:::syswrite, sysinfo:::readch, sysinfo:::writech
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
