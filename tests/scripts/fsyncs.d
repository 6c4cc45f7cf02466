#!/usr/sbin/dtrace -s
/*
 * fsyncs.d: files whose data were forced out, and the bytes before each.
 *
 * @@load: toil syncs 6 3000
 * @@truth: load strace
 * @@check: n("synced", "fsync") == strace.calls["fsync"] == load["done"]
 * @@check: n("synced", "bytes") == load["bytes"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vfs:::fsync
/execname == "toil"/
{
	@[args[0]->fi_name, "fsync"] = count();
}

vfs:::write
/execname == "toil"/
{
	@b[args[0]->fi_name, "bytes"] = sum(args[1]);
}

dtrace:::END
{
	printa("%s %s %@d\n", @b);
	printa("%s %s %@d\n", @);
}
