/*
 * Clauses of sched:::on-cpu run in their order at one firing, also when only
 * one of them needs facts that only a running thread has.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known sleep:20 sleep:20 sleep:20
 */
syscall::clock_nanosleep:entry
/pid == $target/
{
	self->in = 1;
}

syscall::clock_nanosleep:return
{
	self->in = 0;
}

sched:::sleep
/self->in/
{
	self->off = 1;
	slept = 1;
	@balance = sum(-2);
}

sched:::on-cpu
/self->off/
{
	this->when = timestamp;
	@balance = sum(1);
}

sched:::on-cpu
/self->off/
{
	self->off = 0;
	@balance = sum(this->when == timestamp && stackdepth != 0);
}

END
{
	printf("slept %d\n", slept);
	printa("missing: %@d\n", @balance);
}
