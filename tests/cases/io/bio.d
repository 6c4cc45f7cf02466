/*
 * A device whose driver takes bios itself: each bio that starts is done.
 * @@args: -q
 * @@needs: module:zram
 */
io:::start, io:::done
/args[1]->dev_pathname == $$1/
{
	@[args[0]->b_blkno, probename, args[0]->b_bcount, args[0]->b_flags,
	    args[0]->b_error] = count();
}

END
{
	printa("%d %s %d 0x%x %d %@d\n", @);
}
