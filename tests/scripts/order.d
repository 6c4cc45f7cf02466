#!/usr/sbin/dtrace -s
/*
 * order.d: calls in the order in which they were made, each with the time since
 * the one before it.
 *
 * @@load: toil folders 15
 * @@truth: strace
 * @@check: find(r"^ *-?\d+ (\w+)$") == [l.split("(")[0] for l in strace.lines if re.match(r"(mkdir|symlink|rmdir)\(", l)]
 * @@check: all(int(x) >= 0 for x in find(r"^ *(-?\d+) \w+$"))
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%8s %s\n", "DELTA(us)", "CALL");
	last = timestamp;
}

syscall::mkdir:entry,
syscall::symlink:entry,
syscall::rmdir:entry
/execname == "toil"/
{
	this->delta = timestamp - last;
	printf("%8d %s\n", this->delta / 1000, probefunc);
	last = timestamp;
}
