/*
 * fi_mount is where the file system of a file is mounted, as the process sees
 * it; pipes, sockets and the like are mounted nowhere.
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
    (this->what == "pipe" || this->what == "socket" ||
    this->what == "proc" ||
    this->what == "mounted" || this->what == "mount root" ||
    this->what == "bound" || this->what == "bound file" ||
    this->what == "jail")/
{
	printf("%s %s\n", this->what, fds[arg4].fi_mount);
}

END
{
	printf("none %s\n", fds[-1].fi_mount);
}
