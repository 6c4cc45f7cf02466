#!/usr/sbin/dtrace -s
/*
 * top [PROGRAM]: where CPUs run, system calls and their bytes, page faults
 *
 * PROGRAM selects those of that name; -p PID and -c COMMAND select a process
 * and those that it begins.  CPUs are looked at 997 times a second, so 997 are
 * a whole CPU.
 *
 * dtrace --top runs it, and shows the numbers on the whole terminal.
 */
#pragma D option quiet
#pragma D option defaultargs

profile-997
/pid != 0 && ($$1 == "" || execname == $$1) &&
    ($target == 0 || progenyof($target))/
{
	@cpu[execname, pid] = count();
}

syscall:::entry
/pid != $pid && ($$1 == "" || execname == $$1) &&
    ($target == 0 || progenyof($target))/
{
	@syscalls[execname, pid, probefunc] = count();
}

syscall::*read*:return,
syscall::*write*:return,
syscall::*recv*:return,
syscall::*send*:return
/(int64_t)arg1 > 0 && pid != $pid && ($$1 == "" || execname == $$1) &&
    ($target == 0 || progenyof($target))/
{
	@bytes[execname, pid, probefunc] = sum(arg1);
}

vminfo:::as_fault
/pid != $pid && ($$1 == "" || execname == $$1) &&
    ($target == 0 || progenyof($target))/
{
	@faults[execname, pid] = count();
}

END
{
	printf("%-20s %10s %16s\n", "PROGRAM", "PID", "SAMPLES");
	printa("%-20s %10d %@16d\n", @cpu);
	printf("\n%-20s %10s %-20s %16s\n", "PROGRAM", "PID", "CALL", "CALLS");
	printa("%-20s %10d %-20s %@16d\n", @syscalls);
	printf("\n%-20s %10s %-20s %16s\n", "PROGRAM", "PID", "CALL", "BYTES");
	printa("%-20s %10d %-20s %@16d\n", @bytes);
	printf("\n%-20s %10s %16s\n", "PROGRAM", "PID", "PAGE FAULTS");
	printa("%-20s %10d %@16d\n", @faults);
}
