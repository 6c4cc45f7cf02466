/*
 * Each change of a priority is reported, by whatever call, and no call that
 * leaves it as it is.
 * @@args: -q
 * @@needs: prog:kernel ksym:register_kprobe
 * @@run: $PROGS/kernel priorities
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

sched:::change-pri
/self->on/
{
	printf("%d %d\n", args[0]->pr_lwpid == tid && args[1]->pr_pid == pid,
	    args[2]);
}
