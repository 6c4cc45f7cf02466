/*
 * caller is the function that took a lock, and that released it.
 * @@args: -q -x aggsortkey
 * @@needs: prog:locks
 * @@run: $PROGS/locks kinds
 */
plockstat$target:::mutex-acquire, plockstat$target:::mutex-release
/arg1/
{
	@[probename, ufunc(ucaller)] = count();
}
END { printa("%s %A %@d\n", @); }
