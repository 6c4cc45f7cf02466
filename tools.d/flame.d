#!/usr/sbin/dtrace -s
/*
 * flame [PROGRAM]: stacks for a flame graph of where CPUs run, 997 a second
 *
 * PROGRAM selects those of that name; -p PID and -c COMMAND select a process
 * and those that it begins.  Idle CPUs are left out.  Frames of
 * programs stand below those of the kernel that they called.
 *
 * dtrace --flame -t 10s -o out.html runs it, and makes the page.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option stackframes=127
#pragma D option ustackframes=127
#pragma D option demangle

profile-997
/pid != 0 && ($$1 == "" || execname == $$1) &&
    ($target == 0 || progenyof($target))/
{
	@cpu[execname, ustack(), stack()] = count();
}

END
{
	printa("%s%k%k%@16d\n\n", @cpu);
}
