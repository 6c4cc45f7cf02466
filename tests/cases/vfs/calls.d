/*
 * Operations of a program on files, by each system call for them: the file by
 * its path, whether it is open or named.
 * @@args: -q -x strsize=128
 * @@needs: prog:files
 * @@run: $PROGS/files
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

vfs:::
/self->on/
{
	printf("%s %s\n", probename, args[0]->fi_pathname);
}
