/*
 * The names that helpers give frames, as JSON.
 * @@needs: prog:helped
 */
pid$target:a.out:leaf:entry
{
	jstack(5);
}
