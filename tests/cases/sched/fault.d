/*
 * A fault in sched:::on-cpu is the fault of the thread that comes, as ERROR
 * sees it; the clauses behind run.
 * @@args: -x allfaults -q
 * @@needs: prog:known
 * @@run: $PROGS/known sleep:20 sleep:20 sleep:20
 */
syscall::clock_nanosleep:entry
/pid == $target/
{
	in = 1;
	self->ours = 1;
}

syscall::clock_nanosleep:return
/self->ours/
{
	in = 0;
}

sdt:sched::sched_switch
/in && args[2]->pid == $target/
{
	came = 1;
	@behind = sum(-1);
	@seen = sum(-1);
}

sched:::on-cpu
/in && self->ours/
{
	self->bad = *(int *)0;
}

sched:::on-cpu
/in && self->ours/
{
	@behind = sum(tid == $target && self->bad == 0);
}

ERROR
{
	@seen = sum(pid == $target && self->ours && arg4 == 1);
}

END
{
	printf("came %d\n", came);
	printa("behind, missing: %@d\n", @behind);
	printa("seen, missing: %@d\n", @seen);
}
