#!/usr/sbin/dtrace -s
/*
 * mounts: file systems as they are mounted and unmounted
 *
 * CALL is the system call, and ERROR is 0 or the name that errno(3) has.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-16s %8s %-10s %-15s %s\n", "PROGRAM", "PID", "CALL", "ERROR",
	    "WHERE");
}

syscall::mount:entry
{
	self->where = arg1;
}

syscall::move_mount:entry
{
	self->where = arg3;
}

syscall::umount2:entry
{
	self->where = arg0;
}

syscall::mount:return,
syscall::move_mount:return,
syscall::umount2:return
/self->where/
{
	printf("%-16s %8d %-10s %-15s %s\n", execname, pid, probefunc,
	    errname(errno), copyinstr(self->where));
	self->where = 0;
}
