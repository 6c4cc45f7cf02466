/*
 * Nobody waits for what is written since it is not to be kept in memory, and for
 * what is read since it will be needed.
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
