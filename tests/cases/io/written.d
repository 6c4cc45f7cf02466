/*
 * Written data goes to the device when it is synchronised.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mkfs.ext4
 */
io:::start
/pid == $target && args[2]->fi_name == "known"/
{
	@[args[0]->b_flags, args[2]->fi_pathname] = sum(args[0]->b_bcount);
}

END
{
	printa("0x%x %s %@d\n", @);
}
