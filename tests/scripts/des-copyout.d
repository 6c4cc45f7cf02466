#!/usr/sbin/dtrace -s
/*
 * des-copyout.d: what a probe writes into a program's buffer is what the
 * program prints.
 *
 * @@load: prog known buffer
 * @@args: -w
 * @@needs: write_user
 * @@truth: load
 * @@check: "01XYZ.6789abcdef" in lines
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	copyoutstr("XYZ", arg1 + 2, 4);
}
