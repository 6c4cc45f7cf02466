#!/usr/sbin/dtrace -s
/*
 * opens [PROGRAM]: files as they are opened, with the descriptor or the error
 *
 * PROGRAM selects those of that name.  ERROR is 0 for a file that was opened,
 * or the name that errno(3) has.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-16s %8s %5s %-15s %s\n", "PROGRAM", "PID", "FD", "ERROR",
	    "FILE");
}

syscall::open:entry
/$$1 == "" || execname == $$1/
{
	self->path = arg0;
}

syscall::openat:entry,
syscall::openat2:entry
/$$1 == "" || execname == $$1/
{
	self->path = arg1;
}

syscall::open:return,
syscall::openat:return,
syscall::openat2:return
/self->path/
{
	printf("%-16s %8d %5d %-15s %s\n", execname, pid, (int)arg1,
	    errname(errno), copyinstr(self->path));
	self->path = 0;
}
