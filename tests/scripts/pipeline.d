#!/usr/sbin/dtrace -s
/*
 * pipeline.d: the parts of a pipeline of a shell, and bytes through its pipes.
 *
 * @@load: sh seq 1 5000 | tr 1 2 | wc -c >size
 * @@truth: output strace
 * @@check: n("out", "seq") == n("in", "tr") == n("out", "tr") == n("in", "wc") == int(open("size").read())
 * @@check: n("exec", "seq") == n("exec", "tr") == n("exec", "wc") == 1
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::exec-success
/execname == "seq" || execname == "tr" || execname == "wc"/
{
	@e[execname] = count();
}

syscall::read:entry, syscall::write:entry
/(execname == "seq" || execname == "tr" || execname == "wc") &&
    fds[arg0].fi_fs == "pipefs"/
{
	self->dir = probefunc == "read" ? "in" : "out";
}

syscall::read:return, syscall::write:return
/self->dir != NULL/
{
	@b[self->dir, execname] = sum(arg1);
	self->dir = NULL;
}

dtrace:::END
{
	printa("exec %s %@d\n", @e);
	printa("%s %s %@d\n", @b);
}
