/*
 * Compiled and saved: speculations, decisions, stacks, what changes the system.
 */
#pragma D option destructive
#pragma D option nspec=4

syscall::open*:entry
{
	self->spec = speculation();
	speculate(self->spec);
	printf("%d %s", pid, execname);
	stack(5);
	ustack(3, 0);
}

syscall::open*:return
/self->spec && errno != 0/
{
	commit(self->spec);
	self->spec = 0;
}

syscall::open*:return
/self->spec/
{
	discard(self->spec);
	self->spec = 0;
}

profile:::profile-97
/arg1/
{
	@[usym(arg1), umod(arg1), cpu] = count();
	@k[sym(arg0), mod(arg0)] = lquantize(arg0 % 100, 0, 100, 10);
}

tick-1s
{
	raise(10);
	system("echo %d\n", pid);
	freopen("");
	ftruncate();
}
