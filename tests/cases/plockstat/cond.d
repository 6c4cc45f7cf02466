/*
 * Waiting for a condition gives the mutex back, and ends with having it again:
 * also when the time is over, but not when the time made no sense.
 * @@args: -q -x aggsortkey
 * @@needs: prog:locks
 * @@run: $PROGS/locks cond
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
