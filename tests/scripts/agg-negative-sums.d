#!/usr/sbin/dtrace -s
/*
 * agg-negative-sums.d: sums that go down: bytes given back are more than were
 * taken.
 *
 * @@load: prog known seq:20
 * @@truth: output
 * @@check: rows == [[str(k), str(sum(i if i % 2 else -3 * i for i in range(20)
 *     if i % 3 == k))] for k in range(3)]
 */

#pragma D option quiet
#pragma D option aggsortkey

syscall::getpriority:entry
/pid == $target/
{
	@net[arg1 % 3] = sum(arg1 % 2 ? arg1 : -3 * arg1);
}

END
{
	printa("%d %@d\n", @net);
}
