/*
 * A file that is open has an offset and flags, one that is named has none; both
 * have a file system, and its place, if its directory is known.
 * @@needs: prog:files
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

vfs:::read, vfs:::seek
/self->on/
{
	printf("%s %s at %d, 0%o %d %d\n", probename, args[0]->fi_name,
	    args[0]->fi_offset, args[0]->fi_oflags & 3,
	    args[0]->fi_fs == $$1, args[0]->fi_mount == $$2);
}

vfs:::getattr
/self->on/
{
	printf("%s %s %s %d 0%o %d %d\n", probename, args[0]->fi_name,
	    args[0]->fi_dirname, args[0]->fi_offset,
	    args[0]->fi_oflags & 3, args[0]->fi_fs == $$1,
	    args[0]->fi_mount == $$2);
	self->last = strjoin(args[0]->fi_fs, args[0]->fi_mount);
}

vfs:::getattr
/self->on && args[0]->fi_pathname == "/"/
{
	printf("%s\n", self->last);
}
