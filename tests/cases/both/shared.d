/*
 * A thread's integer is the same one for clauses in the process and in the
 * kernel.
 * @@kernel: it is about both substrates
 * @@args: -q -x substrate=both -x aggsortkey
 * @@needs: prog:mixed
 * @@run: $PROGS/mixed 100
 */
pid$target:a.out:step:entry
{
	self->in = arg0 + 1;
}
syscall::getpriority:entry
/self->in && arg0 == 0x7001/
{
	@marks[self->in == arg1 + 1 ? "of its step" : "of another"] = count();
	self->in = 0;
}
pid$target:a.out:other:entry
{
	@calls = count();
}
END
{
	printa("%s: %@d\n", @marks);
	printa("others: %@d\n", @calls);
}
