/*
 * A signal to oneself, taken by a handler.
 * @@args: -q
 * @@needs: prog:signals
 * @@run: $PROGS/signals handle
 */
proc:::signal-send
/pid == $target && args[2] == 10/
{
	printf("%s %d %d %s\n", probename, args[0]->pr_lwpid == tid,
	    args[1]->pr_pid == pid, args[1]->pr_fname);
}

proc:::signal-handle
/pid == $target/
{
	printf("%s %d %d %d\n", probename, args[0], args[1]->si_signo,
	    arg2 > 1);
}

proc:::signal-discard,
proc:::signal-clear
/pid == $target && arg1 == 10/
{
	printf("%s\n", probename);
}
