/*
 * A stack begins with the function that contains the tracepoint: what calls
 * programs is not part of it, with one probe in a program as with several.
 * @@args: -q
 * @@needs: prog:forks
 * @@run: $PROGS/forks 1
 */
sdt:sched::sched_process_fork
/pid == $target/
{
	stack(1);
}

sdt:sched::sched_process_fork,
rawtp:task::task_newtask,
sdt:sched::sched_process_exec
/pid == $target/
{
	printf("%s", probename);
	stack(1);
}
