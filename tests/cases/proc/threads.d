/*
 * Threads: two are made, start and exit; that makes no process.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known threads
 */
proc:::lwp-create
/pid == $target/
{
	@[probename] = count();
	@same = sum(args[1]->pr_pid == pid && args[0]->pr_lwpid != pid);
}

proc:::create,
proc:::start,
proc:::lwp-start,
proc:::lwp-exit
/pid == $target && tid != pid/
{
	@[probename] = count();
}

END
{
	printa("%s %@d\n", @);
	printa("%@d\n", @same);
}
