/*
 * A jstack() has room for names behind its frames, as much as it says, or the
 * option: (frames + 1) * 8 bytes and the strings, rounded to words.
 * @@args: -q -x jstackstrsize=1k -x jstackframes=7 --dump=plan
 */
BEGIN
{
	jstack();
	jstack(3);
	jstack(3, 100);
	ustack(3);
	ustack(3, 8);
	exit(0);
}
