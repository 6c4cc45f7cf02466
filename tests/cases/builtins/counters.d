/*
 * cpucycles and cpuinstrs are a CPU's counters, vcycles and vinstrs, or vinstr,
 * a thread's share of them.  The kernel's CPU clock stands in for the counters
 * here, which virtual machines seldom have, so all are nanoseconds.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg1 == 0/
{
	c = cpucycles;
	i = cpuinstrs;
	vc = vcycles;
	vi = vinstrs;
	on = cpu;
}

syscall::getpriority:entry
/pid == $target && arg1 == 99/
{
	printf("%d %d\n", cpu != on || cpucycles > c, cpu != on || cpuinstrs > i);
	printf("%d %d %d\n", vcycles > vc, vinstrs > vi, vinstr > vi);
	printf("%d %d\n", vcycles - vc < 1000000000, vinstrs - vi < 1000000000);
}
