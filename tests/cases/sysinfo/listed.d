/*
 * Who lists a directory of one block looks at one buffer each time; none is told if
 * others have put it out of what the CPU has at hand.
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
