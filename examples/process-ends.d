#!/usr/sbin/dtrace -s
/*
 * process-ends.d: how many processes begin programs, and how they end.
 *
 * In /etc/dtrace/metrics.d it makes the metrics dtrace_process_ends_execs_total
 * and dtrace_process_ends_ends_total of every host with dtraced.
 */
#pragma D option quiet

/* Programs that processes have begun. */
proc:::exec-success
{
	@execs = count();
}

/* Processes that have ended, by the way in which they did. */
proc:::exit
{
	@ends[args[0] == CLD_EXITED ? "exited" :
	    args[0] == CLD_KILLED ? "killed" : "dumped"] = count();
}
