#!/usr/sbin/dtrace -s
/*
 * shortlived [MS]: processes that live for less than MS (1000) milliseconds
 *
 * STATUS is that of the process, or the signal that killed it.  A process
 * counts from its first execve(), and COMMAND is what its last one was given.
 * ps(1) hardly ever shows these.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=4m

uint64_t born[pid_t];
string command[pid_t];

BEGIN
{
	limit = ($1 ? $1 : 1000) * 1000000;
	printf("%8s %8s %8s %9s  %s\n", "LIVED ms", "PID", "PARENT", "STATUS",
	    "COMMAND");
}

syscall::execve:return,
syscall::execveat:return
/errno == 0/
{
	born[pid] = born[pid] ? born[pid] : timestamp;
	/* proc:::exit of Linux before 6.16 comes when they are freed */
	command[pid] = execargs;
}

syscall::exit_group:entry
/born[pid] && timestamp - born[pid] < limit/
{
	printf("%8d %8d %8d %9d  %s\n", (timestamp - born[pid]) / 1000000,
	    pid, ppid, (int)arg0, command[pid]);
}

proc:::exit
/born[pid] && arg0 != CLD_EXITED && timestamp - born[pid] < limit/
{
	printf("%8d %8d %8d %9s  %s\n", (timestamp - born[pid]) / 1000000,
	    pid, ppid, signame(curpsinfo->pr_wstat & 0x7f), command[pid]);
}

proc:::exit
{
	born[pid] = 0;
	command[pid] = 0;
}
