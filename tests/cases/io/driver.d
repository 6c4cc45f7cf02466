/*
 * A disk whose driver has a name has that, and is one of the driver's.
 * @@args: -q
 * @@needs: kmod:scsi_debug kmod:sd_mod
 */
io:::start
/pid == $target && args[1]->dev_statname == $$1/
{
	@[args[1]->dev_name, args[1]->dev_major, args[1]->dev_minor ==
	    16 * args[1]->dev_instance, args[1]->dev_pathname ==
	    strjoin("/dev/", $$1)] = count();
}

END
{
	printa("%s %d %d %d %@d\n", @);
}
