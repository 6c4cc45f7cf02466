#!/usr/sbin/dtrace -s
/*
 * err-wild-address.d: A wild address is a fault that names it; what the clause
 * had recorded before does not come.
 *
 * @@load: prog known wild
 * @@err: invalid address \(0x123456789000\)|hint: the page may not
 * @@truth: output
 * @@check: out.split() == [f"fault", "1", f"{0x123456789000:x}", "next"]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	printf("this does not come\n");
	trace(*(int *)copyin(arg1, 4));
	printf("nor this\n");
}

syscall::getpriority:entry
/pid == $target/
{
	printf("next\n");
}

ERROR
{
	printf("fault %d %x\n", arg4 == DTRACEFLT_BADADDR, arg5);
}
