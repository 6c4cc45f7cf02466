#!/usr/sbin/dtrace -s
/*
 * execcalls.d: paths that were executed, and what became of it.
 *
 * @@load: toil badexecs 18
 * @@truth: load strace
 * @@check: n("/nonexistent/program", "2") == load["done"] == strace.failed["execve"]
 * @@check: count("^exec /nonexistent/program$") == 18
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::exec
/execname == "toil"/
{
	self->path = args[0];
	printf("exec %s\n", self->path);
}

proc:::exec-failure
/self->path != NULL/
{
	@failed[self->path, args[0]] = count();
	self->path = 0;
}

proc:::exec-success
{
	self->path = 0;
}

dtrace:::END
{
	printa("%s %d %@d\n", @failed);
}
