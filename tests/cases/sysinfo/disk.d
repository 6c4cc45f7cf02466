/*
 * Raw reads and writes of a device, and those by its buffers.
 * @@args: -q
 * @@needs: cmd:losetup
 */
sysinfo:::phread, sysinfo:::phwrite, sysinfo:::bread, sysinfo:::bwrite,
sysinfo:::lwrite
/pid == $target/
{
	@[probename] = sum(arg0);
}

END
{
	printa("%s %@d\n", @);
}
