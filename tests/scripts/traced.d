#!/usr/sbin/dtrace -s
/*
 * traced.d: the default output: a line for each firing, with values traced.
 *
 * @@load: toil missing 8
 * @@truth: load
 * @@check: count(r"^\s+\d+\s+\d+\s+openat:return\s+toil\s+\d+\s+2$") == load["done"]
 * @@check: lines[0].split() == ["CPU", "ID", "FUNCTION:NAME"]
 */

dtrace:::BEGIN
{
	trace("begin");
}

syscall::openat:return
/execname == "toil" && errno/
{
	trace(execname);
	trace(pid);
	trace(errno);
}
