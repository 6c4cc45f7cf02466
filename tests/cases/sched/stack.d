/*
 * A clause of sched:::on-cpu that needs facts of a running thread gets them:
 * the stack by which it left and came back, its user, no more than one firing
 * for each time that it left.
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
	@deep = sum(-1);
}

sched:::on-cpu
/self->off/
{
	self->off = 0;
	@deep = sum(stackdepth > 3 && caller != 0);
	@user = sum(uid != $uid || arg0);
	@stacks[stack(2)] = sum(1);
}

END
{
	printf("slept %d\n", slept);
	printa("not deep %@d\n", @deep);
	printa("wrong %@d\n", @user);
	trunc(@stacks);
}
