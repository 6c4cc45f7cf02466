#!/usr/sbin/dtrace -s
/*
 * interval.d INTERVAL COUNT: reports like those of the stat commands: a row
 * each interval, so many of them.
 *
 * @@load: toil reads 200 100
 * @@operands: 1 2
 * @@truth: load procio
 * @@how: self
 * @@check: sum(int(r[4]) for r in rows if r[0].startswith("20")) == load["syscr"]
 * @@check: len([r for r in rows if r[0].startswith("20")]) == 2
 */

#pragma D option quiet
#pragma D option defaultargs

inline int INTERVAL = $1 != 0 ? $1 : 5;
inline int COUNT = $2 != 0 ? $2 : -1;

int reads;
int opens;

dtrace:::BEGIN
{
	printf("%-20s %8s %8s\n", "TIME", "READS", "OPENS");
	secs = INTERVAL;
	left = COUNT;
	reads = 0;
	opens = 0;
}

syscall::read:entry
/execname == "toil"/
{
	reads++;
}

syscall::open*:entry
/execname == "toil"/
{
	opens++;
}

profile:::tick-1sec
{
	secs--;
}

profile:::tick-1sec
/secs == 0/
{
	printf("%Y %8d %8d\n", walltimestamp, reads, opens);
	reads = opens = 0;
	secs = INTERVAL;
	left--;
}

profile:::tick-1sec
/left == 0/
{
	exit(0);
}
