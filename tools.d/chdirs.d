#!/usr/sbin/dtrace -s
/*
 * chdirs [PROGRAM]: processes as they change their working directory
 *
 * PROGRAM selects those of that name.  ERROR is 0 if the directory was changed,
 * or the name that errno(3) has.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-16s %8s %-15s %s\n", "PROGRAM", "PID", "ERROR", "DIRECTORY");
}

syscall::chdir:entry
/$$1 == "" || execname == $$1/
{
	self->path = arg0;
}

syscall::chdir:return
/self->path/
{
	printf("%-16s %8d %-15s %s\n", execname, pid, errname(errno),
	    copyinstr(self->path));
	self->path = 0;
}
