/*
 * States of a thread that somebody else sends signals, by number and letter.
 * @@args: -q
 * @@needs: prog:signals
 * @@run: $PROGS/signals states
 */
proc:::create
/pid == $target/
{
	child = args[0]->pr_pid;
	@["runs", curlwpsinfo->pr_state, curlwpsinfo->pr_sname] = max(1);
}

syscall::kill:entry, syscall::kill:return
/pid == $target/
{
	self->in = probename == "entry";
}

sched:::wakeup
/self->in && args[1]->pr_pid == child/
{
	@[probename, args[0]->pr_state, args[0]->pr_sname] = max(1);
}

/* one that is told to go on before it has left its CPU is still there */
sched:::enqueue
/child != 0 && args[1]->pr_pid == child && !((struct task_struct *)arg0)->on_cpu/
{
	@[probename, args[0]->pr_state, args[0]->pr_sname] = max(1);
}

proc:::signal-send
/self->in && args[2] == 15/
{
	@[probename, args[0]->pr_state, args[0]->pr_sname] = max(1);
}

END
{
	printa("%s %d %c\n", @);
}
