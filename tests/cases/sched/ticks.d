/*
 * A thread that runs has all ticks of the clock, as the kernel sees to its
 * time.
 * @@args: -q
 * @@needs: prog:spin ksym:register_kprobe
 */
sched:::tick
/pid == $target/
{
	ticked = 1;
	@ = sum(args[0]->pr_lwpid == tid);
}

fbt::update_process_times:entry
/pid == $target/
{
	@ = sum(-1);
}

END
{
	printf("%d\n", ticked);
	printa("%@d\n", @);
}
