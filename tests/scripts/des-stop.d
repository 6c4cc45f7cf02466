#!/usr/sbin/dtrace -s
/*
 * des-stop.d: A program that a probe stops goes on when the shell says so.
 *
 * @@load: prog known seq:1 seq:2
 * @@args: -w
 * @@truth: output
 * @@check: out.split() == ["stopping", "T", "0", "1"]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target && !stopped/
{
	stopped = 1;
	printf("stopping\n");
	stop();
	system("while ! grep -q '^State:.T' /proc/%d/status; do sleep 0.01; done",
	    pid);
	system("awk '/^State/ { print $2 }' /proc/%d/status; kill -CONT %d", pid,
	    pid);
}

syscall::getpriority:return
/pid == $target && n++/
{
	printf("%d\n", n - 2);
}
