#!/usr/sbin/dtrace -s
/*
 * hotstack.d: the stacks that a program uses the CPU in; main() is in each.
 *
 * @@load: toil burn 300
 * @@truth: output
 * @@check: count(r"toil`main\+0x") >= 1 and count(r"toil`burn\b") >= 1
 * @@check: sum(int(x) for x in find(r"^ +(\d+)$")) == n("samples")
 */

#pragma D option quiet

profile:::profile-151
/pid == $target && arg1/
{
	@[ustack(8)] = count();
	@n["samples"] = count();
}

dtrace:::END
{
	printa(@);
	printa("%s %@d\n", @n);
}
