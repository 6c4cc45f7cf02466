#!/usr/sbin/dtrace -s
/*
 * agg-default-at-end.d: what no printa() has printed comes at the end by
 * itself, smallest first.
 *
 * @@load: prog known seq:6
 * @@truth: output
 * @@check: [l for l in lines if l] == [" %16d %16d" % (v, v + 1) for v in
 *     sorted(i * 2 % 7 for i in range(6))]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	@[arg1 * 2 % 7] = sum(arg1 * 2 % 7 + 1);
}
