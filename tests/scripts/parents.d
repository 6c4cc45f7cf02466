#!/usr/sbin/dtrace -s
/*
 * parents.d: births of processes, as a line each: who, of whom.
 *
 * @@load: toil execs 5
 * @@truth: load
 * @@check: len(set(find(r"^toil %d > toil (\d+)$" % load["pid"]))) == load["done"]
 * @@check: sorted(find(r"^toil %d > toil (\d+)$" % load["pid"])) == sorted(find(r"^exec (\d+) "))
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::create
/execname == "toil"/
{
	printf("%s %d > %s %d\n", execname, pid, args[0]->pr_fname,
	    args[0]->pr_pid);
}

proc:::exec-success
/execname == "toil" && ppid != $pid && index(curpsinfo->pr_psargs, "quiet") > 0/
{
	printf("exec %d %s\n", pid, curpsinfo->pr_psargs);
}
