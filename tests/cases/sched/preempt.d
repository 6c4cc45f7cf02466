/*
 * A thread that yields to another one is preempted as often as the kernel says,
 * and waits for a CPU each time.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known woken:5
 */
self int on;

syscall::sched_yield:entry
/pid == $target && !self->on/
{
	self->on = 1;
	self->before = curthread->nivcsw;
	self->slept = curthread->nvcsw;
}

sched:::preempt, sysinfo:::inv_swtch
/self->on/
{
	@[probename] = sum(1);
}

sched:::enqueue
/self->on && args[0]->pr_lwpid == tid/
{
	@[probename] = sum(args[1]->pr_pid == pid && args[2]->cpu_id == cpu);
}

sysinfo:::pswitch
/self->on/
{
	@[probename] = sum(1);
}

proc:::lwp-exit
/self->on/
{
	self->on = 0;
	this->n = curthread->nivcsw - self->before;
	yields = this->n >= 5;
	@["preempt"] = sum(-this->n);
	@["inv_swtch"] = sum(-this->n);
	@["enqueue"] = sum(-this->n);
	@["pswitch"] = sum(self->slept - curthread->nvcsw - this->n);
}

END
{
	printf("%d\n", yields);
	printa("%s %@d\n", @);
}
