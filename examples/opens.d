#!/usr/sbin/dtrace -s
/*
 * opens.d [PROGRAM]: the files that each program opens, and the result.
 *
 * The path is read when the call returns: by then the kernel has brought its
 * memory in.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-16s %7s %5s  %s\n", "PROGRAM", "PID", "FD", "FILE");
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
/self->path && errno == 0/
{
	printf("%-16s %7d %5d  %s\n", execname, pid, (int)arg1,
	    copyinstr(self->path));
}

syscall::open:return,
syscall::openat:return,
syscall::openat2:return
/self->path && errno != 0/
{
	printf("%-16s %7d %5s  %s (%s)\n", execname, pid, "-",
	    copyinstr(self->path), errname(errno));
}

syscall::open:return,
syscall::openat:return,
syscall::openat2:return
{
	self->path = 0;
}
