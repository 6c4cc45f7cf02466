#!/usr/sbin/dtrace -s
/*
 * opt-programs-together.d: A program of -n and a script share variables.
 *
 * @@load: prog known seq:6
 * @@args: -n 'BEGIN { base = 100; }'
 * @@truth: output
 * @@check: out.split() == ["100", "101", "102", "103", "104", "105", "6"]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	printf("%d ", base + arg1);
	@n = count();
}

END
{
	printa("%@d\n", @n);
}
