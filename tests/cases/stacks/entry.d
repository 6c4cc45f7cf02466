/*
 * The first frame at a function's entry is the function, without an offset,
 * wherever in its first instructions the probe is planted.
 * @@args: -q -x aggsortkey
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 3
 */
pid$target:a.out:fn_endbr:entry, pid$target:a.out:fn_pushes:entry,
pid$target:a.out:fn_sub:entry, pid$target:a.out:fn_loop:entry
{
	@[probefunc, ustack(1)] = count();
}
END { printa("%s %k %@d\n", @); }
