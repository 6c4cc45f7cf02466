#!/usr/sbin/dtrace -s
/*
 * agg-llquantize-decades.d: powers of ten in ten steps: latencies as people
 * read them.
 *
 * @@load: prog known seq:200
 * @@truth: output
 * @@check: {k: v for k, v in dist().items() if v} == {"<1": 1, **{k: 1 for k
 *     in range(1, 10)}, **{k: 10 for k in range(10, 100, 10)}, ">=100": 100}
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	@ = llquantize(arg1, 10, 0, 1, 10);
}
