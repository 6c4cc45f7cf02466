#!/usr/sbin/dtrace -s
/*
 * agg-trunc.d: trunc() with a number keeps the largest, with a negative one
 * the smallest, with none nothing.
 *
 * @@load: prog known seq:10
 * @@truth: output
 * @@check: rows == (lambda v: [v[-3:], v[:4], ["none"]])([f"{i}={i * 7 % 10}"
 *     for i in sorted(range(10), key=lambda i: i * 7 % 10)])
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	@top[arg1] = sum(arg1 * 7 % 10);
	@low[arg1] = sum(arg1 * 7 % 10);
	@none[arg1] = count();
}

END
{
	trunc(@top, 3);
	printa("%d=%@d ", @top);
	printf("\n");
	trunc(@low, -4);
	printa("%d=%@d ", @low);
	printf("\n");
	trunc(@none);
	printa("%d=%@d ", @none);
	printf("none\n");
}
