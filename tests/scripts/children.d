#!/usr/sbin/dtrace -s
/*
 * children.d: children by parent, as the new process's own record has it.
 *
 * @@load: toil forks 16
 * @@truth: load
 * @@check: n("parent", load["pid"]) == load["done"]
 * @@check: n("distinct") == 16
 */

#pragma D option quiet

int child[pid_t];

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::create
/execname == "toil"/
{
	@kids[args[0]->pr_ppid] = count();
	distinct += child[args[0]->pr_pid] == 0 ? 1 : 0;
	child[args[0]->pr_pid] = pid;
}

dtrace:::END
{
	printa("parent %d %@d\n", @kids);
	printf("distinct %d\n", distinct);
}
