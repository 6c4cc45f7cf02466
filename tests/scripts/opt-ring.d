#!/usr/sbin/dtrace -s
/*
 * opt-ring.d: with bufpolicy ring the newest records of each CPU remain, in
 * order, the last among them.
 *
 * @@load: prog known seq:5000
 * @@args: -b 4k
 * @@truth: output
 * @@check: (lambda v: 0 < len(v) < 5000 and v == sorted(set(v)) and v[-1] == 4999)(
 *     [int(w) for w in out.split()])
 */

#pragma D option quiet
#pragma D option bufpolicy=ring

syscall::getpriority:entry
/pid == $target/
{
	printf("%d\n", arg1);
}
