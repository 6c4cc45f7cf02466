/*
 * A function is entered where it begins, not where another one jumps into it.
 * @@args: -q -x aggsortkey
 * @@needs: prog:bare
 * @@run: $PROGS/bare
 */
pid$target:a.out:first:entry, pid$target:a.out:second:entry
{
	@[probefunc] = count();
}
END { printa("%s %@d\n", @); }
