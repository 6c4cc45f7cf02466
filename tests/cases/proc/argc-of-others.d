/*
 * Of a process that is not the current one, the number of arguments is not
 * known: it is -1, and reading it is no fault.
 * @@args: -q
 * @@run: sh -c "sleep 9 & kill $!; :"
 */
proc:::signal-send
/pid == $target && args[2] == SIGTERM/
{
	printf("%d %d %d\n", args[1]->pr_argc, args[1]->pr_envp == 0,
	    curpsinfo->pr_argc);
}
