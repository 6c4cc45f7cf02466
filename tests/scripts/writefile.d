#!/usr/sbin/dtrace -s
/*
 * writefile.d: bytes that were written to each file, by program and path.
 *
 * @@load: toil writes 60 5000
 * @@truth: load procio
 * @@check: n("toil", os.getcwd() + "/data") == load["bytes"]
 * @@check: sum(column("toil")) == load["wchar"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	trace("Tracing... Hit Ctrl-C to end.\n");
}

syscall::write:entry,
syscall::pwrite64:entry
/execname == "toil"/
{
	@bytes[execname, fds[arg0].fi_pathname] = sum(arg2);
}

dtrace:::END
{
	printa("%-16s %-50s %@12d\n", @bytes);
}
