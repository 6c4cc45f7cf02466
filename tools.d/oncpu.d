#!/usr/sbin/dtrace -s
/*
 * oncpu [PROGRAM]: where programs run: samples of all CPUs, 97 a second
 *
 * The 20 most frequent stacks of the kernel and of the program are shown.
 */
#pragma D option quiet
#pragma D option defaultargs

profile-97
/pid != 0 && ($$1 == "" || execname == $$1)/
{
	@[execname, stack(12), ustack(12)] = count();
}

END
{
	trunc(@, 20);
	printa("%s%k%k%@16d\n\n", @);
}
