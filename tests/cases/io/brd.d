/*
 * The RAM disk: each request that starts is done, with the same bytes.
 * @@args: -q
 * @@needs: kmod:brd
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
