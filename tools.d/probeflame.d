#!/usr/sbin/dtrace -s
/*
 * probeflame PROBE: stacks for a flame graph of where a probe fires
 *
 * PROBE is a description, such as syscall::read:entry.  -p PID and -c COMMAND
 * select a process and those that it begins.
 *
 * dtrace --flame=PROBE -t 10s -o out.html runs it, and makes the page.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option stackframes=127
#pragma D option ustackframes=127
#pragma D option demangle

$1
/$target == 0 || progenyof($target)/
{
	@fired[execname, ustack(), stack()] = count();
}

END
{
	printa("%s%k%k%@16d\n\n", @fired);
}
