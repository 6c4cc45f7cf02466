/*
 * Each path is walked once, whatever for; a rename has two.
 * @@args: -q
 * @@needs: prog:kernel ksym:register_kprobe
 * @@run: $PROGS/kernel paths
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

sysinfo:::namei
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
