#!/usr/sbin/dtrace -s
/*
 * diskio [PROGRAM]: bytes that each program reads from and writes to disks
 *
 * PROGRAM selects those of that name.
 * A write is counted for the program that starts it, often a thread of the
 * kernel.
 */
#pragma D option quiet
#pragma D option defaultargs

io:::start
/$$1 == "" || execname == $$1/
{
	@[execname, pid, args[1]->dev_statname,
	    args[0]->b_flags & B_READ ? "read" : "write"] =
	    sum(args[0]->b_bcount);
}

END
{
	printf("%-16s %8s %-10s %-6s %14s\n", "PROGRAM", "PID", "DEVICE", "",
	    "BYTES");
	printa("%-16s %8d %-10s %-6s %@14d\n", @);
}
