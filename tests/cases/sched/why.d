/*
 * A thread that leaves the CPU either sleeps or is preempted, until it exits.
 * @@args: -q
 * @@needs: cmd:python3
 * @@run: python3 -c "import time; [time.sleep(0.001) for i in range(50)]"
 */
syscall::clock_nanosleep:entry
/pid == $target/
{
	self->on = 1;
}

syscall::exit_group:entry
{
	self->on = 0;
}

sched:::off-cpu
/self->on/
{
	@balance = sum(1);
}

sched:::sleep,
sched:::preempt
/self->on/
{
	@balance = sum(-1);
}

END
{
	printa("%@d\n", @balance);
}
