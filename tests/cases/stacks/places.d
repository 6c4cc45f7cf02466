/*
 * ustack() from where functions begin and return, of a program without frame
 * pointers: all of it, as many frames as are asked for, and as a key.
 * @@args: -q
 * @@needs: prog:chain
 * @@run: $PROGS/chain 1
 */
pid$target:chain:mark:entry
{
	printf("entered");
	ustack();
}

pid$target:chain:mark:return
{
	printf("returns");
	ustack(2);
}

pid$target:chain:descend:entry
{
	@[probename, ustack(1)] = count();
}

END
{
	printa("%s %k %@d\n", @);
}
