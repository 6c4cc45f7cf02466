/*
 * A thread spins for an adaptive mutex before it waits, with success or
 * without.
 * @@args: -q -w -x aggsortkey
 * @@needs: prog:locks cpus2
 */
plockstat$target:::mutex-spin
{
	@spins[usym(arg0)] = count();
}
plockstat$target:::mutex-spin
/$$1 == "spin"/
{
	raise(10);
}
plockstat$target:::mutex-spun
{
	@spun[usym(arg0), arg1, arg2 > 0] = count();
	self->spun = arg2;
}
plockstat$target:::mutex-acquire
/self->spun/
{
	@acquired[usym(arg0), arg2 == self->spun] = count();
	self->spun = 0;
}
END
{
	printa("spin %A %@d\n", @spins);
	printa("spun %A %d %d %@d\n", @spun);
	printa("acquire %A %d %@d\n", @acquired);
}
