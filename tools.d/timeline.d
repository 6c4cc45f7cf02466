#!/usr/sbin/dtrace -s
/*
 * timeline [PROGRAM]: which threads run, wait, wake others and make which calls
 *
 * PROGRAM selects those of that name; -p PID and -c COMMAND select a process
 * and those that it begins.  CPUs have a slice for each thread that runs on
 * them, threads one for each wait and each system call.
 *
 * dtrace --timeline -t 5s -o out.pftrace runs it, and writes a trace for
 * Perfetto; -o out.json one for other viewers.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option bufsize=32m

sched:::on-cpu, sched:::off-cpu
/pid != $pid && ($$1 == "" || execname == $$1) &&
    ($target == 0 || progenyof($target))/
{
}

sched:::wakeup
/pid != $pid && ($$1 == "" || execname == $$1) &&
    ($target == 0 || progenyof($target) || args[1]->pr_pid == $target)/
{
	printf("wakes %s %d\n", args[1]->pr_fname, args[0]->pr_lwpid);
}

syscall:::entry
/pid != $pid && ($$1 == "" || execname == $$1) &&
    ($target == 0 || progenyof($target))/
{
	printf("%s(0x%x, 0x%x, 0x%x, 0x%x, 0x%x, 0x%x)\n", probefunc, arg0,
	    arg1, arg2, arg3, arg4, arg5);
}

syscall:::return
/pid != $pid && ($$1 == "" || execname == $$1) &&
    ($target == 0 || progenyof($target))/
{
	printf("= %d%s%s\n", (int64_t)arg1, errno != 0 ? " " : "",
	    errno != 0 ? errname(errno) : "");
}

proc:::create, proc:::exec-success, proc:::exit, proc:::signal-send,
proc:::lwp-create, proc:::lwp-exit
/pid != $pid && ($$1 == "" || execname == $$1) &&
    ($target == 0 || progenyof($target))/
{
}
