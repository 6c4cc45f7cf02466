#!/usr/sbin/dtrace -s
/*
 * pagefaults [PROGRAM]: page faults by program, and those that had to read
 *
 * PROGRAM selects those of that name.
 */
#pragma D option quiet
#pragma D option defaultargs

vminfo:::as_fault
/$$1 == "" || execname == $$1/
{
	@all[execname] = count();
}

vminfo:::maj_fault
/$$1 == "" || execname == $$1/
{
	@major[execname] = count();
}

END
{
	printf("%-16s %10s %10s\n", "PROGRAM", "FAULTS", "READS");
	printa("%-16s %@10d %@10d\n", @all, @major);
}
