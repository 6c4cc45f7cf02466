/*
 * sched:::on-cpu fires when a new process comes to a CPU for the first time.
 * @@args: -q
 * @@needs: cmd:sh
 * @@run: /bin/sh -c "/bin/true; /bin/true; /bin/true"
 */
sdt:sched::sched_process_fork
/args[0]->tgid == $target/
{
	born[args[1]->pid] = 1;
	came[args[1]->pid] = 0;
	forked = 1;
}

sdt:sched::sched_switch
/born[args[2]->pid] && !came[args[2]->pid]++/
{
	@came = sum(-1);
}

sched:::on-cpu
/born[tid] == 1/
{
	born[tid] = 2;
	@came = sum(1);
	@wrong = sum(ppid != $target || pid != tid);
}

END
{
	printf("forked %d\n", forked);
	printa("missing %@d\n", @came);
	printa("wrong %@d\n", @wrong);
}
