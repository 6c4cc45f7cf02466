#!/usr/sbin/dtrace -s
/*
 * des-system.d: system() runs the shell's commands in order, with what a probe
 * has found.
 *
 * @@load: prog known seq:4
 * @@args: -w
 * @@truth: output
 * @@check: out.split() == os.popen("for i in 0 1 2 3; do expr $i '*' 7; done"
 *     ).read().split()
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	system("expr %d '*' 7", arg1);
}
