#!/usr/sbin/dtrace -s
/*
 * opt-fill.d: with bufpolicy fill nothing is printed before the end, and all
 * comes then.
 *
 * @@load: prog known seq:40
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == list(range(40))
 */

#pragma D option quiet
#pragma D option bufpolicy=fill

syscall::getpriority:entry
/pid == $target/
{
	printf("%d\n", arg1);
}
