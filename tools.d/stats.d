#!/usr/sbin/dtrace -s
/*
 * stats [PROGRAM]: files whose attributes programs ask for, also missing ones
 *
 * PROGRAM selects those of that name.  ERROR is 0 for a file that exists,
 * or the name that errno(3) has.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-16s %8s %-10s %-15s %s\n", "PROGRAM", "PID", "CALL", "ERROR",
	    "FILE");
}

syscall::stat:entry,
syscall::lstat:entry,
syscall::access:entry
/$$1 == "" || execname == $$1/
{
	self->path = arg0;
}

/* Calls with AT_EMPTY_PATH (0x1000) ask about a descriptor. */
syscall::newfstatat:entry
/!(arg3 & 0x1000) && ($$1 == "" || execname == $$1)/
{
	self->path = arg1;
}

syscall::statx:entry
/!(arg2 & 0x1000) && ($$1 == "" || execname == $$1)/
{
	self->path = arg1;
}

syscall::faccessat:entry,
syscall::faccessat2:entry
/$$1 == "" || execname == $$1/
{
	self->path = arg1;
}

syscall::stat:return,
syscall::lstat:return,
syscall::access:return,
syscall::newfstatat:return,
syscall::statx:return,
syscall::faccessat:return,
syscall::faccessat2:return
/self->path/
{
	printf("%-16s %8d %-10s %-15s %s\n", execname, pid, probefunc,
	    errname(errno), copyinstr(self->path));
	self->path = 0;
}
