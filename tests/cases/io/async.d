/*
 * No thread waits for writes that drop the cache behind them, and for reads
 * that were advised to come early.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mkfs.ext4
 */
io:::start
/progenyof($target) && args[2]->fi_name == "known"/
{
	@[args[0]->b_flags] = sum(args[0]->b_bcount);
}

END
{
	printa("0x%x %@d\n", @);
}
