/*
 * Readers' locks are told from the writer's, by arg1; so are waits that time
 * out, and refused deadlocks.
 * @@args: -q -x aggsortkey
 * @@needs: prog:locks
 * @@run: $PROGS/locks rw
 */
plockstat$target:::rw-acquire, plockstat$target:::rw-release,
plockstat$target:::rw-block
{
	@[probename, usym(arg0), arg1, 0] = count();
}
plockstat$target:::rw-blocked, plockstat$target:::rw-error
{
	@[probename, usym(arg0), arg1, arg2] = count();
}
END { printa("%s %A %d %d %@d\n", @); }
