/*
 * Memory is taken from a control group: pages are looked at, and of those some
 * are freed, which are files' or processes'.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mkfs.ext4
 */
vminfo:::pgrrun, vminfo:::scan, vminfo:::dfree, vminfo:::fsfree
/pid == $target && arg0 > 0 && arg1 == 0/
{
	@fired[probename] = max(1);
}

vminfo:::dfree
/pid == $target/
{
	@balance["freed"] = sum(arg0);
}

vminfo:::fsfree, vminfo:::anonfree
/pid == $target/
{
	@balance["freed"] = sum(-arg0);
}

END
{
	printa("%s %@d\n", @fired);
	printa("%s %@d\n", @balance);
}
