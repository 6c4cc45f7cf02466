/*
 * Room for two names and a half: the last is cut, which is counted as DTrace
 * counts it.
 * @@needs: prog:helped
 */
pid$target:a.out:leaf:entry
{
	ustack(8, 19);
}
