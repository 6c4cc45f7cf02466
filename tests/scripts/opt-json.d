#!/usr/sbin/dtrace -s
/*
 * opt-json.d: with oformat=json each line is an object, and those that are
 * printed have the text.
 *
 * @@load: prog known seq:3
 * @@args: -x oformat=json
 * @@truth: output
 * @@check: all(isinstance(__import__("json").loads(l), dict) for l in lines if
 *     l)
 * @@check: [int(v) for v in find(r"mark (\d+)")] == [0, 1, 2]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	printf("mark %d", arg1);
}
