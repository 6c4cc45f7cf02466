/*
 * A large page counts as all the pages in it.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel large 2
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

vminfo:::zfod
/self->on/
{
	@[probename] = sum(arg0);
	@most = max(arg0);
	@counters = max(arg1);
}

END
{
	printa("%s %@d\n", @);
	printa("%@d\n", @most);
	printa("%@d\n", @counters);
}
