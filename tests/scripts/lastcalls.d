#!/usr/sbin/dtrace -s
/*
 * lastcalls.d: the last calls of a program before it ends, out of a ring.
 *
 * @@load: toil forks 1
 * @@truth: strace
 * @@check: find(r"^\d+ (\w+)$") == [l.split("(")[0] for l in strace.lines if "(" in l and l[0].islower()][-5:]
 */

#pragma D option quiet

inline int SIZE = 5;

self int i;

dtrace:::BEGIN
{
	printf("%5s %s\n", "PID", "CALL");
}

syscall:::entry
/execname == "toil"/
{
	self->call[self->i % SIZE] = probefunc;
	self->i++;
}

proc:::exit
/execname == "toil" && self->i > 20/
{
	printf("%d %s\n", pid, self->call[(self->i + 0) % SIZE]);
	printf("%d %s\n", pid, self->call[(self->i + 1) % SIZE]);
	printf("%d %s\n", pid, self->call[(self->i + 2) % SIZE]);
	printf("%d %s\n", pid, self->call[(self->i + 3) % SIZE]);
	printf("%d %s\n", pid, self->call[(self->i + 4) % SIZE]);
}
