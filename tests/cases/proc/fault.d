/*
 * Faults by what they are, and how the process ends.
 * @@args: -q
 * @@needs: prog:signals
 */
proc:::fault
/pid == $target/
{
	printf("fault %d, signal %d; ", args[0], args[1]->si_signo);
}

proc:::exit
/pid == $target/
{
	printf("exit %d\n", args[0]);
}
