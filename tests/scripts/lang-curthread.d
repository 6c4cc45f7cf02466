#!/usr/sbin/dtrace -s
/*
 * lang-curthread.d: the kernel's own structure of the thread agrees with the
 * built-ins.
 *
 * @@load: prog known seq:3
 * @@truth: load
 * @@check: out.split() == ["known", "1", "1", "1"] * 3
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	printf("%s %d %d %d\n", stringof(curthread->comm),
	    curthread->tgid == pid, curthread->pid == tid,
	    curthread->real_parent->tgid == ppid);
}
