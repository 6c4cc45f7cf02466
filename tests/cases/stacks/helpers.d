/*
 * A program brings a helper that names its frames (tests/prog/helped.d): in a
 * record and in a key, of jstack() and of a ustack() that has room for names; a
 * remark stands below its frame, a name is instead of an address without a
 * symbol.
 * @@needs: prog:helped
 */
pid$target:a.out:leaf:entry
{
	jstack();
	@[jstack(7)] = count();
}

pid$target:a.out:leaf:entry
{
	ustack(3);
	ustack(2, 64);
}
