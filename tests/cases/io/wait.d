/*
 * A thread begins to wait for a device, and ends: for requests of a file system
 * it is not known for which it waits.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mkfs.ext4
 */
io:::wait-start
/progenyof($target)/
{
	waited = 1;
	@balance = sum(1);
	@bad = sum(args[0]->b_edev != 0 || args[0]->b_flags != 0 ||
	    args[0]->b_blkno != 0 || args[0]->b_lblkno != 0 ||
	    args[0]->b_iodone != NULL || args[1]->dev_major != 0 ||
	    args[1]->dev_minor != 0 || args[1]->dev_instance != 0 ||
	    args[1]->dev_name != "<unknown>" ||
	    args[1]->dev_statname != "<unknown>" ||
	    args[1]->dev_pathname != "<unknown>" ||
	    args[2]->fi_pathname != "<unknown>");
}

io:::wait-done
/progenyof($target)/
{
	@balance = sum(-1);
	@bad = sum(args[0]->b_edev != 0);
}

END
{
	printf("%d\n", waited);
	printa("%@d\n", @balance);
	printa("%@d\n", @bad);
}
