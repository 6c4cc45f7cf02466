/*
 * A partition has numbers and a name of its own, and the disk's driver; sectors
 * are those of the disk, and its own.
 * @@args: -q
 * @@needs: cmd:losetup cmd:addpart
 */
io:::start
/pid == $target && args[1]->dev_statname == $$1/
{
	edev = args[0]->b_edev;
}

io:::start, io:::done
/args[0]->b_edev == edev/
{
	@[probename, args[0]->b_blkno, args[0]->b_lblkno, args[0]->b_bcount,
	    args[1]->dev_major == $2 && args[1]->dev_minor == $3,
	    getmajor(edev) == $2 && getminor(edev) == $3,
	    args[1]->dev_instance == $4, args[1]->dev_name == $$5,
	    args[1]->dev_statname == $$1,
	    args[1]->dev_pathname == strjoin("/dev/", $$1)] = count();
}

END
{
	printa("%s %d %d %d: %d %d %d %d %d %d %@d\n", @);
}
