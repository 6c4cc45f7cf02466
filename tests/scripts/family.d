#!/usr/sbin/dtrace -s
/*
 * family.d: programs that a command and its descendants become.
 *
 * @@load: sh for i in 1 2 3 4 5; do /bin/true; /bin/echo $i | /bin/cat >/dev/null; done
 * @@truth: strace
 * @@how: target
 * @@check: n("cat") == n("echo") == n("true") == 5
 * @@check: sum(column()) == strace.calls["execve"] - strace.failed["execve"]
 */

#pragma D option quiet

proc:::exec-success
/progenyof($target)/
{
	@[execname] = count();
}
