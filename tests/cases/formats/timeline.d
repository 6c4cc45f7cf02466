/*
 * Chrome's and Perfetto's traces have the same tracks, slices, instants and
 * counters, whatever characters the values have; other programs read them.
 * @@needs: prog:known
 */
BEGIN
{
	trace("quote\" \\ \n\001\377\303\251");
	trace(-5);
	printf("%s-%d", "one", 2);
	trace((uint64_t)-1);
	trace("");
}

pid$target:known:main:entry
{
	trace(arg0);
}

syscall::getpriority:entry
/pid == $target/
{
	trace(arg1);
	@calls[execname, "a,\n\"]\377"] = count();
	@sizes = quantize(arg1);
	@sums = sum(-3);
	@cleared = count();
}

syscall::getpriority:entry
/pid == $target && arg1 == 1/
{
	trace("the same firing");
}

syscall::getpriority:return,
pid$target:known:main:return
/pid == $target/
{
}

syscall::exit_group:entry
/pid == $target/
{
	trace("no return");
}

syscall::exit_group:return
{
	trace("never");
}

syscall::getpriority:return
/pid == $target/
{
	self->n++;
	clear(@cleared);
}
