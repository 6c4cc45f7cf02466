/*
 * In BEGIN and END the process is dtrace itself.
 * @@args: -q
 */
BEGIN, END
{
	printf("%d %d %s\n", pid == $pid, tid == $pid, execname);
}

BEGIN { exit(0); }
