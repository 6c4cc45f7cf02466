#!/usr/sbin/dtrace -s
/*
 * kills [PROGRAM]: signals that programs send by system calls
 *
 * PROGRAM selects those of that name.  TO is a process, or a thread of
 * tkill(2). ERROR is 0 for a signal that was sent.
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
/$$1 == "" || execname == $$1/
{
	self->is_kill = 1;
	self->to = (int)arg0;
	self->signal = (int)arg1;
}

syscall::tgkill:entry
/$$1 == "" || execname == $$1/
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
