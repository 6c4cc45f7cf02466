#!/usr/sbin/dtrace -s
/*
 * procio [PROGRAM]: bytes that each process reads and writes by system calls
 *
 * PROGRAM selects those of that name.  Calls that failed are not counted.
 */
#pragma D option quiet
#pragma D option defaultargs

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::write:return,
syscall::pwrite64:return,
syscall::writev:return
/errno == 0 && ($$1 == "" || execname == $$1)/
{
	@calls[execname, pid, probefunc] = count();
	@bytes[execname, pid, probefunc] = sum((long)arg1);
}

END
{
	printf("%-16s %8s %-10s %10s %14s\n", "PROGRAM", "PID", "CALL",
	    "CALLS", "BYTES");
	printa("%-16s %8d %-10s %@10d %@14d\n", @calls, @bytes);
}
