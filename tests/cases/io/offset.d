/*
 * Where in the file a request begins: blocks smaller than a page, and somewhere
 * in what the cache keeps together.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mke2fs fs:ext4
 */
io:::start, io:::done
/args[2]->fi_name == "placed"/
{
	@[args[2]->fi_offset, args[0]->b_bcount, probename] = count();
}

END
{
	printa("%d: %d %s %@d\n", @);
}
