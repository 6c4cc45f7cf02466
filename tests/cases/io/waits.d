/*
 * A thread waits for each block that it reads, ten of a file and then twenty of a
 * device, unless the device is done before.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mkfs.ext4
 */
proc:::exit
/execname == "dd" && progenyof($target)/
{
	read++;
}

io:::start, io:::wait-start, io:::wait-done
/execname == "dd" && progenyof($target)/
{
	@[read ? "device" : "file", probename] = count();
}

END
{
	printa("%s %s %@d\n", @);
}
