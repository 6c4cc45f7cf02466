#!/usr/sbin/dtrace -s
/*
 * memgrowth [PROGRAM]: memory that programs map and give back, in kilobytes
 *
 * PROGRAM selects those of that name.  Anonymous memory only: mmap(2) and
 * munmap(2).
 */
#pragma D option quiet
#pragma D option defaultargs

syscall::mmap:entry
/(arg3 & 0x20) && ($$1 == "" || execname == $$1)/
{
	@mapped[execname, pid] = sum(arg1);
}

syscall::munmap:entry
/$$1 == "" || execname == $$1/
{
	@unmapped[execname, pid] = sum(arg1);
}

END
{
	normalize(@mapped, 1024);
	normalize(@unmapped, 1024);
	printf("%-16s %8s %12s %12s\n", "PROGRAM", "PID", "MAPPED KB",
	    "UNMAPPED KB");
	printa("%-16s %8d %@12d %@12d\n", @mapped, @unmapped);
}
