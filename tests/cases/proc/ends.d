/*
 * However a process of a hundred threads ends, it exits once, and each of its
 * threads does.
 * @@args: -q
 * @@needs: prog:ends
 */
proc:::exit, proc:::lwp-exit
/ppid == $target/
{
	@[probename, arg0] = count();
}

proc:::exit
/ppid == $target/
{
	@again = sum(exits[pid]++ != 0);
}

END
{
	printa("%s %d %@d\n", @);
	printa("%@d\n", @again);
}
