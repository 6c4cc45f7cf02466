/*
 * What a device is called, by its numbers and by names.
 * @@args: -q
 * @@needs: cmd:losetup
 */
io:::start
/pid == $target && args[1]->dev_major == 7/
{
	@[args[1]->dev_major, args[1]->dev_minor == args[1]->dev_instance,
	    getmajor(args[0]->b_edev), getminor(args[0]->b_edev) ==
	    args[1]->dev_minor, args[1]->dev_pathname == $$1,
	    strjoin("/dev/", args[1]->dev_statname) == $$1,
	    args[1]->dev_name == args[1]->dev_statname] = count();
}

END
{
	printa("%d %d %d %d %d %d %d %@d\n", @);
}
