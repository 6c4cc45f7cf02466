/*
 * Of a function's instructions a pattern leaves out those that no probe can be
 * on, counts them and says so; the others fire.
 * @@args: -q
 * @@needs: prog:unprobed
 * @@run: $PROGS/unprobed
 */
pid$target:a.out:half:
{
	@[probename] = count();
}
