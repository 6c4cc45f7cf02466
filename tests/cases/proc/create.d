/*
 * args[0] of create is the new process; its parent is the one that forks.
 * @@args: -q
 * @@needs: prog:forks
 * @@run: $PROGS/forks 1
 */
proc:::create
/pid == $target/
{
	this->new = args[0]->pr_pid;
	printf("%s %d %d %s\n", probeprov, args[0]->pr_ppid == pid,
	    this->new > 0 && this->new != pid, args[0]->pr_fname);
	child = args[0]->pr_pid;
}

proc:::exit
/pid == child/
{
	printf("%s %d\n", probename, args[0]);
}
