#!/usr/sbin/dtrace -s
/*
 * vfsread.d: bytes read and written by file name, by the vfs provider.
 *
 * @@load: toil preads 40 1000
 * @@truth: load
 * @@check: n("read", "data") == load["bytes"] == 40000
 * @@check: n("write", "data") == 40000 and n("read", "io") > 0
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vfs:::read,
vfs:::write
/execname == "toil" && args[1] > 0/
{
	@[probename, args[0]->fi_name] = sum(args[1]);
}

dtrace:::END
{
	printa("%-8s %-20s %@12d\n", @);
}
