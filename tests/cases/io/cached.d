/*
 * A file of known size is read through the page cache: the bytes are those of
 * the file, which its pages tell; no thread waits for the read-ahead.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mkfs.ext4
 */
io:::start,
io:::done
/args[2]->fi_name == "cached"/
{
	@[probename, args[2]->fi_pathname, args[2]->fi_dirname,
	    args[2]->fi_fs, args[2]->fi_mount] = sum(args[0]->b_bcount);
	@first = min(args[2]->fi_offset);
	@last = max(args[2]->fi_offset + args[0]->b_bcount);
	@bad = sum((args[0]->b_flags & (B_READ | B_WRITE | B_PAGEIO | B_PHYS))
	    != (B_READ | B_PAGEIO) || args[2]->fi_oflags != 0);
}

END
{
	printa("%s %s %s %s %s %@d\n", @);
	printa("%@d\n", @first);
	printa("%@d\n", @last);
	printa("%@d\n", @bad);
}
