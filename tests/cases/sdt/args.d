/*
 * args[] of a tracepoint are what the kernel passes, by its own types; arg0 and
 * so on are the same as integers.
 * @@args: -q
 * @@needs: prog:forks
 * @@run: $PROGS/forks 1
 */
sdt:sched::sched_process_exec
/progenyof($target)/
{
	printf("%d %d %d %s\n", args[0]->pid == pid, args[1] == pid,
	    arg0 == (uintptr_t)curthread, stringof(args[2]->filename));
}

sdt:sched::sched_process_fork
/pid == $target/
{
	printf("%d %d %d\n", args[0]->pid == pid, args[1]->pid > 0,
	    arg2);
}
