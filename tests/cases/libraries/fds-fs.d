/*
 * fi_fs is the kind of a file's file system.
 * @@args: -q
 * @@needs: prog:places
 * @@run: $PROGS/places
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 3/
{
	this->what = copyinstr(arg3);
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 3 &&
    (this->what == "pipe" || this->what == "socket" || this->what == "proc" ||
    this->what == "mounted")/
{
	printf("%s %s %s\n", this->what, fds[arg4].fi_fs,
	    this->what == "mounted" ? fds[arg4].fi_name : "");
}
