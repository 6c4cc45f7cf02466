/*
 * With -v the places that no probe can be on are listed, each with its reason.
 * @@args: -q -v
 * @@needs: prog:unprobed
 * @@run: $PROGS/unprobed
 */
pid$target:a.out:half:
{
	@[probename] = count();
}
