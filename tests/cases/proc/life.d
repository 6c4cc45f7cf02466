/*
 * Processes are made, start, run programs and exit: three children, each with
 * a child that runs a program.
 * @@args: -q
 * @@needs: prog:forks
 * @@run: $PROGS/forks 3
 */
proc:::create,
proc:::start,
proc:::lwp-create,
proc:::lwp-start,
proc:::lwp-exit,
proc:::exec,
proc:::exec-success,
proc:::exec-failure,
proc:::exit
/progenyof($target) && (pid != $target || probename == "create")/
{
	@[probename] = count();
}

END
{
	printa("%s %@d\n", @);
}
