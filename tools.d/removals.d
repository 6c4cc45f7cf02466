#!/usr/sbin/dtrace -s
/*
 * removals [PROGRAM]: files as they are removed or renamed
 *
 * PROGRAM selects those of that name.  ERROR is 0 if the file was removed or
 * renamed, or the name that errno(3) has.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-16s %8s %-10s %-15s %s\n", "PROGRAM", "PID", "CALL", "ERROR",
	    "FILE");
}

syscall::unlink:entry,
syscall::rmdir:entry,
syscall::rename:entry
/$$1 == "" || execname == $$1/
{
	self->path = arg0;
}

syscall::unlinkat:entry,
syscall::renameat:entry,
syscall::renameat2:entry
/$$1 == "" || execname == $$1/
{
	self->path = arg1;
}

syscall::unlink:return,
syscall::rmdir:return,
syscall::rename:return,
syscall::unlinkat:return,
syscall::renameat:return,
syscall::renameat2:return
/self->path/
{
	printf("%-16s %8d %-10s %-15s %s\n", execname, pid, probefunc,
	    errname(errno), copyinstr(self->path));
	self->path = 0;
}
