/*
 * Where a function is entered and where it returns, its caller is found without
 * any table that describes its frame.
 * @@args: -q -x aggsortkey
 * @@needs: prog:bare
 * @@run: $PROGS/bare
 */
pid$target:a.out:bare:entry, pid$target:a.out:bare:return,
pid$target:a.out:bare:0, pid$target:a.out:bare_leaf:entry,
pid$target:a.out:bare_leaf:return
{
	@[probefunc, probename, umod(ucaller), ustackdepth > 2] = count();
	@f[probefunc, probename, ustack(2)] = count();
}
END { printa("%s %s %A %d %@d\n", @); printa("%s %s %k %@d\n", @f); }
