/*
 * A request that the device splits is done in parts, each at its place.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mke2fs fs:ext4
 */
io:::start
/args[2]->fi_name == "split"/
{
	@started = sum(args[0]->b_bcount);
}

io:::done
/args[2]->fi_name == "split"/
{
	@[args[2]->fi_offset] = sum(args[0]->b_bcount);
	@places[args[0]->b_blkno - args[2]->fi_offset / 512] = count();
}

END
{
	printa("%@d\n", @started);
	printa("%d: %@d\n", @);
	printa(" %@d\n", @places);
}
