#!/usr/sbin/dtrace -s
/*
 * end-target-ends.d: the script ends when what it traces ends, whatever its
 * status is.
 *
 * @@load: prog known seq:3 exit:42
 * @@truth: load
 * @@check: out.split() == ["42", "3"]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	n++;
}

syscall::exit_group:entry
/pid == $target/
{
	printf("%d\n", arg0);
}

END
{
	printf("%d\n", n);
}
