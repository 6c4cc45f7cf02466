/*
 * The kernel's tracepoints fire as often as their events happen: five children
 * that fork a child each, which runs a program.
 * @@args: -q
 * @@needs: prog:forks
 * @@run: $PROGS/forks 5
 */
sdt:sched::sched_process_fork
/progenyof($target)/
{
	@forks = count();
}

sdt:sched::sched_process_exec
/progenyof($target)/
{
	@execs = count();
}

END
{
	printa("%@d forks, ", @forks);
	printa("%@d execs\n", @execs);
}
