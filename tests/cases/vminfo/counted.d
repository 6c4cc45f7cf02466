/*
 * Pages that are scanned and freed, of files and of processes, when memory is
 * taken from a control group: the kernel counts the same.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mkfs.ext4 cmd:mkswap
 */
vminfo:::scan, vminfo:::dfree, vminfo:::fsfree, vminfo:::anonfree
/pid == $target/
{
	@[probename] = sum(arg0);
}

END
{
	printa("%s %@d\n", @);
}
