/*
 * A file's pages are written when it is synchronised, and read again when they
 * are in memory no more.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mkfs.ext4
 */
vminfo:::fspgin, vminfo:::fspgout, vminfo:::pgpgin, vminfo:::pgpgout,
vminfo:::anonpgin, vminfo:::anonpgout
/pid == $target/
{
	@[probename] = sum(arg0);
}

vminfo:::pgin, vminfo:::pgout
/pid == $target/
{
	@requests[probename] = sum(arg0);
}

io:::start
/pid == $target && args[2]->fi_name == "known"/
{
	@requests[args[0]->b_flags & B_READ ? "pgin" : "pgout"] = sum(-1);
}

END
{
	printa("%s %@d\n", @);
	printa("%s %@d\n", @requests);
}
