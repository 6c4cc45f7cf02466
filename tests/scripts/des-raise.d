#!/usr/sbin/dtrace -s
/*
 * des-raise.d: A signal that a probe raises is the one that the program
 * counts.
 *
 * @@load: prog known signal
 * @@args: -w
 * @@truth: load
 * @@check: out.split() == ["raised", "1"]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	raise(SIGUSR1);
}

syscall::exit_group:entry
/pid == $target/
{
	printf("raised %d\n", arg0);
}
