/*
 * The kernel changes to another thread: as often as its scheduler says, and in
 * mode kernel.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel slept 20
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
	@balance = sum(0);
	@user = sum(0);
}

sdt:sched::sched_switch
/self->on/
{
	slept = 1;
	@balance = sum(-1);
}

cpc:::context_switches-kernel-1
/self->on/
{
	@balance = sum(1);
	@bad = sum(arg0 == 0 || arg1 != 0);
}

cpc:::context_switches-user-1
/self->on/
{
	@user = sum(1);
}

END
{
	printf("%d\n", slept);
	printa("%@d\n", @balance);
	printa("%@d\n", @bad);
	printa("%@d\n", @user);
}
