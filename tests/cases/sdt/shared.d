/*
 * Many tracepoints in one program: each clause sees those that it names, and
 * they are told apart, by name and by id.
 * @@args: -q
 * @@needs: prog:forks
 * @@run: $PROGS/forks 3
 */
sdt:sched::sched_process_e*,
sdt:sched::sched_process_fork,
rawtp:::task_newtask
/progenyof($target) && (probename != "sched_process_exit" || pid != $target)/
{
	@all[probeprov, probename] = count();
}

sdt:sched::sched_process_exec,
sdt:sched::sched_process_fork
/progenyof($target)/
{
	@some[strjoin(probename, "!")] = count();
	@ids[id] = sum(id > 0);
}

END
{
	printa("%s:%s %@d\n", @all);
	printa("%s %@d\n", @some);
	printa("%@d of an id\n", @ids);
}
