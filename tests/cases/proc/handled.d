/*
 * A signal's default action is handling, too (its handler is 0), and a thread's
 * end comes before its process's.
 * @@args: -q
 * @@exit: 1
 * @@run: bash -c "trap : USR1; kill -USR1 $BASHPID; kill -TERM $BASHPID"
 */
proc:::signal-handle
/pid == $target/
{
	printf("%d %s\n", args[0], args[2] == 0 ? "default" : "handler");
}

proc:::lwp-exit, proc:::exit
/pid == $target/
{
	printf("%s\n", probename);
}
