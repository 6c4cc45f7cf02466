#!/usr/sbin/dtrace -s
/*
 * opt-no-such-probe.d: with -Z descriptions of what is not there are passed
 * over.
 *
 * @@load: prog known seq:2
 * @@args: -Z
 * @@truth: output
 * @@check: out.split() == ["0", "1"]
 */

#pragma D option quiet

nosuch:::probe,
syscall::no_such_call:entry,
pid$target:a.out:no_such_function:entry
{
	printf("never\n");
}

syscall::getpriority:entry
/pid == $target/
{
	printf("%d\n", arg1);
}
