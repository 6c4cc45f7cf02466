#!/usr/sbin/dtrace -s
/*
 * intrs.d: interrupts by CPU and number.
 *
 * @@load: toil direct 20 4096
 * @@truth: stat
 * @@check: 0 < sum(int(r[-1]) for r in rows if r[:1] == ["irq"]) <= stat["intr"]     # there, those of timers are counted, too
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sdt:::interrupt-start
{
	@num[cpu, arg0] = count();
}

dtrace:::END
{
	printa("irq cpu %d number %d %@d\n", @num);
}
