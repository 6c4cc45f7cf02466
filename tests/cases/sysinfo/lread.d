/*
 * A file system looks at its buffers.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mkfs.ext4
 */
sysinfo:::lread
/pid == $target/
{
	looked = arg0;
}

END
{
	printf("%d\n", looked);
}
