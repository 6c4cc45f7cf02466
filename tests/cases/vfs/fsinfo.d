/*
 * fsinfo, of illumos, is vfs: args[0] is the file, args[1] the bytes of a read.
 * @@args: -q
 * @@run: cat /etc/hostname
 */
fsinfo:::open
/pid == $target && args[0]->fi_pathname == "/etc/hostname"/
{
	opens++;
}

fsinfo:genunix::read
/pid == $target && args[0]->fi_pathname == "/etc/hostname" && args[1] > 0/
{
	reads++;
}

END
{
	printf("%d %d", opens, reads > 0);
}
