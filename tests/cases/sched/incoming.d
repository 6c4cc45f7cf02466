/*
 * sched:::on-cpu is about the thread that comes, whatever a clause asks of it:
 * it fires each time that the kernel changes to the thread.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known sleep:20 sleep:20 sleep:20
 */
syscall::clock_nanosleep:entry
/pid == $target/
{
	self->in = timestamp;
	self->thread = curthread;
	waits[pid, tid] = 1;
	going = 1;
}

syscall::clock_nanosleep:return
{
	self->in = 0;
	waits[pid, tid] = 0;
}

sdt:sched::sched_switch
/going && args[2]->pid == $target/
{
	@comes = sum(-1);
	came = 1;
}

sched:::on-cpu
/going && pid == $target/
{
	this->name = execname;
	@comes = sum(1);
	self->came[execname, cpu] = timestamp;
}

sched:::on-cpu
/going && pid == $target/
{
	@wrong = sum(tid != $target || ppid != $pid || this->name != "known" ||
	    threadname != "known" || curthread != self->thread ||
	    curthread->pid != $target || curpsinfo->pr_pid != $target ||
	    curlwpsinfo->pr_lwpid != $target || curcpu->cpu_id != cpu ||
	    !self->in != !waits[pid, tid] || self->in > timestamp ||
	    self->came["known", cpu] != timestamp || probename != "on-cpu");
	@name[probefunc, execname] = max(1);
}

END
{
	printf("came %d\n", came);
	printa("missing %@d\n", @comes);
	printa("wrong %@d\n", @wrong);
	printa("[%s] %s\n", @name);
}
