/*
 * fds[] are the open files of the process: fds[0] is this script, whose first
 * line has been read.
 * @@needs: prog:known cmd:findmnt
 */
syscall::close:entry
/pid == $target && arg0 != 0 && fds[arg0].fi_name == fds[0].fi_name/
{
	printf("name %s\ndir %s\npath %s\noffset %d\nfs %s\nflags %d\n",
	    fds[0].fi_name, fds[0].fi_dirname, fds[0].fi_pathname,
	    fds[0].fi_offset, fds[0].fi_fs, fds[0].fi_oflags & O_ACCMODE);
	printf("%s %s %d\n", fds[99].fi_name, fds[-1].fi_fs, fds[99].fi_offset);
}
