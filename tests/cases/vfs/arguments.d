/*
 * Further arguments of vfs: bytes, offsets, modes, requests, other names.
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

vfs:::read, vfs:::write
/self->on/
{
	printf("%s %d\n", probename, args[1]);
}

vfs:::readdir, vfs:::readlink
/self->on/
{
	printf("%s %d\n", probename, args[1] > 0);
}

vfs:::seek, vfs:::truncate, vfs:::allocate
/self->on/
{
	printf("%s %d\n", probename, args[1]);
}

vfs:::mmap
/self->on/
{
	printf("%s %d\n", probename, args[1]);
}

vfs:::lock
/self->on/
{
	printf("%s %d\n", probename, args[1]);
}

vfs:::ioctl
/self->on/
{
	printf("%s 0x%x\n", probename, args[1]);
}

vfs:::access
/self->on/
{
	printf("%s %d\n", probename, args[1]);
}

vfs:::mkdir, vfs:::mknod
/self->on/
{
	printf("%s 0%o\n", probename, args[1]);
}

vfs:::symlink
/self->on/
{
	printf("%s %s %s\n", probename, args[0]->fi_name, copyinstr(arg2));
}

vfs:::rename, vfs:::link
/self->on/
{
	printf("%s %s %s, %s %s %d %d\n", probename, args[0]->fi_pathname,
	    args[1]->fi_pathname, args[1]->fi_name, args[1]->fi_dirname,
	    args[1]->fi_offset, args[1]->fi_oflags);
}
