#!/usr/sbin/dtrace -s
/*
 * stopped.d: a program is stopped when it calls getpid(), and told to go on.
 *
 * @@load: toil reads 5 10
 * @@truth: load
 * @@check: count("^stopped in getpid$") == 1 and load["done"] == 5
 */

#pragma D option quiet
#pragma D option destructive

syscall::getpid:entry
/pid == $target/
{
	stop();
	printf("stopped in %s\n", probefunc);
	system("kill -CONT %d", pid);
}
