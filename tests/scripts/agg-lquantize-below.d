#!/usr/sbin/dtrace -s
/*
 * agg-lquantize-below.d: values below the range have a row of their own, and
 * weights count.
 *
 * @@load: prog known seq:30
 * @@truth: output
 * @@check: {k: v for k, v in dist().items() if v} == {"<-5": 3 * 5, -5: 3 * 5,
 *     0: 3 * 5, 5: 3 * 5, ">=10": 3 * 10}
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	@ = lquantize((int64_t)arg1 - 10, -5, 10, 5, 3);
}
