/*
 * A thread that sleeps three times: it leaves the CPU, is woken, waits for a
 * CPU and runs again.  Its waker is a thread on the same CPU, and no other
 * thread runs in between: on some virtual machines the kernel runs no BPF
 * program in the threads of the host's agent, nor in interrupts of these.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known woken:3
 */
syscall::futex:entry
/tid == $target/
{
	self->in = 1;
	self->off = 0;
}

syscall::futex:return
{
	self->in = 0;
}

sched:::sleep
/self->in/
{
	self->slept = 1;
	sleeping = 1;
	@[probename] = count();
}

sched:::off-cpu
/self->in && !self->off && args[0]->pr_lwpid != tid && args[1]->pr_pid == pid/
{
	self->off = 1;
	@[probename] = count();
}

sched:::wakeup
/sleeping && args[0]->pr_lwpid == $target && args[1]->pr_pid == $target/
{
	sleeping = 0;
	woken = 1;
	@[probename] = count();
}

sched:::enqueue
/woken && args[0]->pr_lwpid == $target && args[1]->pr_pid == $target/
{
	woken = 0;
	queued = 1;
	@[probename] = count();
	@bad = sum(args[2]->cpu_id != cpu || args[2]->cpu_pset != -1 || args[3]);
}

sched:::dequeue
/queued && args[0]->pr_lwpid == $target && args[1]->pr_pid == $target/
{
	queued = 0;
	@[probename] = count();
	@bad = sum(args[2]->cpu_id != cpu);
}

sched:::on-cpu
/self->slept/
{
	self->slept = 0;
	@[probename] = count();
}

END
{
	printa("%s %@d\n", @);
	printa("%@d\n", @bad);
}
