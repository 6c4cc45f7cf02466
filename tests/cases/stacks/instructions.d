/*
 * However far a function has got with its frame, its callers are the same.
 * @@args: -q -x aggsortkey
 * @@needs: prog:chain
 * @@run: $PROGS/chain 5
 */
pid$target:chain:mark:,
pid$target:chain:begin:
{
	@[probefunc, ustackdepth] = count();
}
END { printa("%s %d\n", @); }
