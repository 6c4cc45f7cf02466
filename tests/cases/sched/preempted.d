/*
 * Ten times a thread wakes one of higher priority on its CPU, and is preempted.
 * @@args: -q
 * @@needs: prog:kernel
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

sched:::preempt, sched:::off-cpu, sysinfo:::inv_swtch, sysinfo:::pswitch,
cpc:::context_switches-kernel-1
/self->on/
{
	@[probename] = count();
}

sched:::wakeup
/self->on && args[1]->pr_pid == pid && args[0]->pr_lwpid != tid/
{
	@[probename] = count();
}

END
{
	printa("%s %@d\n", @);
}
