#!/usr/sbin/dtrace -s
/*
 * targetcalls.d: system calls of the command of -c alone.
 *
 * @@load: toil seeks 45 8192
 * @@truth: load
 * @@check: n("lseek") == load["done"] == 45
 * @@check: n("exit_group") == 1 and n("openat") == 4
 */

#pragma D option quiet

syscall:::entry
/pid == $target/
{
	@[probefunc] = count();
}
