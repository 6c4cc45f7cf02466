/*
 * Each lock, attempt, wait and unlock of a normal mutex is one event; a wait
 * that times out does not acquire it, and an attempt that fails is no event.
 * @@args: -q -x aggsortkey
 * @@needs: prog:locks
 * @@run: $PROGS/locks mutex
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
