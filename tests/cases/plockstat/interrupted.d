/*
 * A thread that is in a lock function may be interrupted, and its handler lock
 * another mutex: both are told right.
 * @@args: -q -x aggsortkey
 * @@needs: prog:locks
 * @@run: $PROGS/locks interrupted
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
