#!/usr/sbin/dtrace -s
/*
 * chdirs [PROGRAM]: processes as they change their working directory
 *
 * PROGRAM selects those of that name.  ERROR is 0 if the directory was changed,
 * or the number of errno(3).
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-16s %8s %6s  %s\n", "PROGRAM", "PID", "ERROR", "DIRECTORY");
}

syscall::chdir:entry
/$$1 == "" || execname == $$1/
{
	self->path = arg0;
}

syscall::chdir:return
/self->path/
{
	printf("%-16s %8d %6d  %s\n", execname, pid, errno,
	    copyinstr(self->path));
	self->path = 0;
}
