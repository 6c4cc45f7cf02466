/*
 * A thread waits for each block that it reads, ten of a file and then twenty of
 * a device, unless the device is done before.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mkfs.ext4
 */
/* Files may be on a network's, which is waited for as well. */
self int reads;

syscall::read:entry
/execname == "dd" && arg2 == 4096/
{
	self->reads = 1;
}

syscall::read:return
{
	self->reads = 0;
}

proc:::exit
/execname == "dd" && progenyof($target)/
{
	read++;
}

io:::start, io:::wait-start, io:::wait-done
/self->reads && progenyof($target)/
{
	@[read ? "device" : "file", probename] = count();
}

END
{
	printa("%s %s %@d\n", @);
}
