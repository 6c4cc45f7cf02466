/*
 * A listing of a directory of one block looks at one buffer each time; the
 * kernel does not tell of a buffer that it finds in the CPU's own cache.
 * @@args: -q
 * @@needs: prog:kernel cmd:losetup cmd:mkfs.ext4
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

sysinfo:::lread
/self->on/
{
	looked += arg0;
}

END
{
	printf("%d\n", looked);
}
