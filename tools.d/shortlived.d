#!/usr/sbin/dtrace -s
/*
 * shortlived [MS]: processes that live for less than MS (1000) milliseconds
 *
 * STATUS is that of the process, or "killed".  A process counts from its first
 * execve().  ps(1) hardly ever shows these.
 */
#pragma D option quiet
#pragma D option defaultargs

uint64_t born[pid_t];

BEGIN
{
	limit = ($1 ? $1 : 1000) * 1000000;
	printf("%8s %8s %8s %6s  %s\n", "LIVED ms", "PID", "PARENT", "STATUS",
	    "COMMAND");
}

syscall::execve:return,
syscall::execveat:return
/errno == 0 && !born[pid]/
{
	born[pid] = timestamp;
}

syscall::exit_group:entry
/born[pid] && timestamp - born[pid] < limit/
{
	printf("%8d %8d %8d %6d  %s\n", (timestamp - born[pid]) / 1000000,
	    pid, ppid, (int)arg0, execargs);
}

proc:::exit
/born[pid] && arg0 != CLD_EXITED && timestamp - born[pid] < limit/
{
	printf("%8d %8d %8d %6s  %s\n", (timestamp - born[pid]) / 1000000,
	    pid, ppid, "killed", execargs);
}

proc:::exit
{
	born[pid] = 0;
}
