#!/usr/sbin/dtrace -s
/*
 * kills: signals that programs send by system calls
 *
 * ERROR is 0 for a signal that was sent.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-16s %8s %8s %6s %5s\n", "PROGRAM", "PID", "TO", "SIGNAL",
	    "ERROR");
}

syscall::kill:entry,
syscall::tkill:entry
{
	self->is_kill = 1;
	self->to = (int)arg0;
	self->signal = (int)arg1;
}

syscall::tgkill:entry
{
	self->is_kill = 1;
	self->to = (int)arg1;
	self->signal = (int)arg2;
}

syscall::kill:return,
syscall::tkill:return,
syscall::tgkill:return
/self->is_kill/
{
	printf("%-16s %8d %8d %6d %5d\n", execname, pid, self->to,
	    self->signal, errno);
	self->is_kill = 0;
}
