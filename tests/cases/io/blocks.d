/*
 * A file system's own data, inodes and the like, are blocks of its device: they
 * have no file name.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mke2fs fs:ext4
 */
io:::start
/args[1]->dev_pathname == $$1 && args[2]->fi_fs == "bdev"/
{
	@[args[2]->fi_name, args[2]->fi_dirname, args[2]->fi_pathname,
	    args[2]->fi_offset] = count();
}

END
{
	printa("%s %s %s %d\n", @);
}
