#!/usr/sbin/dtrace -s
/*
 * chdirs: processes as they change their working directory
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-16s %8s %6s  %s\n", "PROGRAM", "PID", "ERROR", "DIRECTORY");
}

syscall::chdir:entry
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
