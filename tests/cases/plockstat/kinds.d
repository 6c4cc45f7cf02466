/*
 * Recursive mutexes tell the outermost lock and unlock from inner ones;
 * checking ones report refusals; robust and priority-lending ones are like
 * others.
 * @@args: -q -x aggsortkey
 * @@needs: prog:locks
 * @@run: $PROGS/locks kinds
 */
plockstat$target:::mutex-acquire, plockstat$target:::mutex-release,
plockstat$target:::mutex-blocked, plockstat$target:::mutex-error
{
	@[probename, usym(arg0), arg1] = count();
}
plockstat$target:::mutex-block
{
	@[probename, usym(arg0), 0] = count();
}
END { printa("%s %A %d %@d\n", @); }
