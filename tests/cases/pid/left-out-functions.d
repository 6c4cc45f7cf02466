/*
 * A pattern of functions leaves out what cannot be probed, too: a function that
 * begins so, and a HLT behind what never returns.
 * @@args: -q
 * @@needs: prog:unprobed
 * @@run: $PROGS/unprobed
 */
pid$target:a.out::entry,
pid$target:a.out:_start:
{
	@[probefunc] = count();
}
