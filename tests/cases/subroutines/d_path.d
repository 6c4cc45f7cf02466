/*
 * d_path() is what the kernel calls a file: through mounts, deleted, in
 * another root, and for what has no path at all.
 * @@args: -q -x strsize=4096
 * @@needs: prog:places
 * @@run: $PROGS/places
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 3/
{
	this->file = getf(arg4);
	this->path = d_path(&this->file->f_path);
	printf("%s: %s\n", copyinstr(arg3),
	    this->path == copyinstr(arg2) ? "same" : this->path);
}
