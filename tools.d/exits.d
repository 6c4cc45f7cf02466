#!/usr/sbin/dtrace -s
/*
 * exits [PROGRAM]: processes as they end: how, and the time they lived
 *
 * PROGRAM selects those of that name.  The time is -1 if the process is older
 * than the tool.
 */
#pragma D option quiet
#pragma D option defaultargs

uint64_t born[pid_t];

BEGIN
{
	printf("%-16s %8s %8s %-10s %10s\n", "PROGRAM", "PID", "PARENT", "END",
	    "LIVED ms");
}

proc:::start
{
	born[pid] = timestamp;
}

proc:::exit
/$$1 == "" || execname == $$1/
{
	printf("%-16s %8d %8d %-10s %10d\n", execname, pid, ppid,
	    arg0 == CLD_EXITED ? "exited" : arg0 == CLD_DUMPED ? "dumped core" :
	    "killed", born[pid] ?
	    (int64_t)(timestamp - born[pid]) / 1000000 : -1);
}

proc:::exit
{
	born[pid] = 0;
}
