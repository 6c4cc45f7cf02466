#!/usr/sbin/dtrace -s
/*
 * kills [PROGRAM]: signals that programs send by system calls
 *
 * PROGRAM selects those of that name.  TO is a process, or a thread of
 * tkill(2).  ERROR is 0 for a signal that was sent, or the name that errno(3)
 * has.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-16s %8s %8s %-12s %s\n", "PROGRAM", "PID", "TO", "SIGNAL",
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
	printf("%-16s %8d %8d %-12s %s\n", execname, pid, self->to,
	    signame(self->signal), errname(errno));
	self->is_kill = 0;
}
