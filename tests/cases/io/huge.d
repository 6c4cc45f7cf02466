/*
 * Memory of a process in a large page, not at its beginning, is that of a
 * process.
 * @@args: -q
 * @@needs: cmd:losetup cmd:python3
 */
io:::start, io:::done
/args[1]->dev_pathname == $$1/
{
	@[probename, args[0]->b_bcount, args[0]->b_flags,
	    args[2]->fi_pathname] = count();
}

END
{
	printa("%s %d 0x%x %s %@d\n", @);
}
