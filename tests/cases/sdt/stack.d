/*
 * A stack begins with the function that contains the tracepoint: what calls
 * programs is not part of it, with one probe in a program as with several, also
 * where that is named after a class of events (sched_wakeup_new), and where it
 * is a frame of its own (sys_enter).
 * @@args: -q
 * @@needs: prog:forks
 * @@run: $PROGS/forks 1
 */
sdt:sched::sched_process_fork
/pid == $target/
{
	stack(1);
}

sdt:sched::sched_wakeup_new
/pid == $target/
{
	stack(1);
}

sdt:raw_syscalls::sys_enter
/pid == $target && !entered++/
{
	stack(1);
}

sdt:sched::sched_process_fork,
sdt:sched::sched_wakeup_new,
sdt:raw_syscalls::sys_enter,
rawtp:task::task_newtask,
sdt:sched::sched_process_exec
/pid == $target && (probename != "sys_enter" || !entered_group++)/
{
	printf("%s", probename);
	stack(1);
}
