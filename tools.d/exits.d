#!/usr/sbin/dtrace -s
/*
 * exits [PROGRAM]: processes as they end: how, and the time they lived
 *
 * PROGRAM selects those of that name.  END is the status of a process that
 * exited, or the signal that killed it.  The time is -1 if the process is older
 * than the tool.
 */
#pragma D option quiet
#pragma D option defaultargs

uint64_t born[pid_t];

BEGIN
{
	printf("%-16s %8s %8s %-16s %10s\n", "PROGRAM", "PID", "PARENT", "END",
	    "LIVED ms");
}

proc:::start
{
	born[pid] = timestamp;
}

proc:::exit
/$$1 == "" || execname == $$1/
{
	this->signal = signame(curpsinfo->pr_wstat & 0x7f);
	printf("%-16s %8d %8d %-16s %10d\n", execname, pid, ppid,
	    arg0 == CLD_EXITED ?
	    strjoin("exited ", lltostr((curpsinfo->pr_wstat >> 8) & 0xff)) :
	    arg0 == CLD_DUMPED ? strjoin(this->signal, " (core)") :
	    this->signal, born[pid] ?
	    (int64_t)(timestamp - born[pid]) / 1000000 : -1);
}

proc:::exit
{
	born[pid] = 0;
}
