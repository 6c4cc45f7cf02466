/*
 * A disk's file of known size is read with O_DIRECT, and its first part
 * written: each request starts in the thread that asks, and is done.
 * @@args: -q
 * @@needs: cmd:losetup
 */
io:::start
/pid == $target && args[1]->dev_pathname == $$1/
{
	edev = args[0]->b_edev;
	@[probename, args[0]->b_blkno, args[0]->b_bcount, args[0]->b_flags,
	    args[0]->b_error, args[0]->b_resid] = count();
	@bad = sum(args[0]->b_addr != NULL || args[0]->b_iodone == NULL ||
	    args[0]->b_lblkno != args[0]->b_blkno ||
	    args[0]->b_bufsize != args[0]->b_bcount);
}

io:::done
/args[0]->b_edev == edev/
{
	@[probename, args[0]->b_blkno, args[0]->b_bcount, args[0]->b_flags,
	    args[0]->b_error, args[0]->b_resid] = count();
	@bad = sum(args[1]->dev_pathname != $$1);
}

END
{
	printa("%s block %d, %d bytes: 0x%x %d %d %@d\n", @);
	printa("%@d\n", @bad);
}
