/*
 * Waiting for a condition releases the mutex, and ends with acquiring it: also
 * after a timeout, but not if the time was invalid.
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
