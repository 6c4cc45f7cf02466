/*
 * A kernel thread's pr_psargs is its name, also when a kernel thread asks.
 * @@args: -q
 */
sdt:sched::sched_switch
/curthread->mm == NULL && curthread->pid != 0/
{
	@["itself"] = min(curpsinfo->pr_psargs == curthread->comm);
	exit(0);
}

sched:::off-cpu
/curthread->mm == NULL && ((struct task_struct *)arg0)->mm == NULL/
{
	@["the next one"] = min(args[1]->pr_psargs == args[1]->pr_fname);
}

END
{
	@["the next one"] = min(1);
	printa("%s: %@d\n", @);
}
