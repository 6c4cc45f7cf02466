#!/usr/sbin/dtrace -s
/*
 * opens.d: files that each program opens, as they are opened.
 *
 * @@load: toil opens 50
 * @@truth: load strace
 * @@check: count(r"toil +\d+ here$") == load["done"] + 1   # it makes it first
 * @@check: count(r"toil +\d+ ") == strace.calls["openat"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-16s %6s %s\n", "PROGRAM", "PID", "FILE");
}

syscall::open:entry
{
	self->path = arg0;
}

syscall::openat:entry
{
	self->path = arg1;
}

syscall::open:return,
syscall::openat:return
/self->path/
{
	printf("%-16s %6d %s\n", execname, pid, copyinstr(self->path));
	self->path = 0;
}
