/*
 * Wherever a function is stopped, its callers are the same: before it has made
 * its frame, in it, and when it has undone it.
 * @@needs: prog:chain
 */
pid$target:chain:mark:,
pid$target:chain:begin:
{
	@[probefunc, ustackdepth] = count();
}
