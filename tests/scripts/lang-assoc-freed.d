#!/usr/sbin/dtrace -s
/*
 * lang-assoc-freed.d: elements that are set to 0 make room for others: many
 * more pass through than there is memory for at a time.
 *
 * @@load: prog known seq:4000
 * @@args: -x dynvarsize=64k
 * @@truth: output
 * @@check: out.split() == [str(sum(3 * i for i in range(4000))), "0"]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	open[arg1] = 3 * arg1 + 1;
}

syscall::getpriority:entry
/pid == $target && arg1/
{
	closed += open[arg1 - 1] - 1;
	open[arg1 - 1] = 0;
}

END
{
	closed += open[3999] - 1;
	open[3999] = 0;
	printf("%d %d\n", closed, open[1234]);
}
