/*
 * sched:::on-cpu fires once each time that a new process comes to a CPU, also
 * where a clause asks for what only the thread itself can tell.
 * @@args: -q
 * @@needs: cmd:sh
 * @@run: /bin/sh -c "/bin/true; /bin/true; /bin/true"
 */
sdt:sched::sched_process_fork
/args[0]->tgid == $target/
{
	born[args[1]->pid] = 1;
	forked = 1;
}

sdt:sched::sched_switch
/born[args[2]->pid]/
{
	@came = sum(-1);
}

sched:::on-cpu
/born[tid]/
{
	@came = sum(1);
	@deep = max(stackdepth > 0);
}

END
{
	printf("forked %d\n", forked);
	printa("missing or twice %@d\n", @came);
	printa("with a stack %@d\n", @deep);
}
