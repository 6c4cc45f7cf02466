#!/usr/sbin/dtrace -s
/*
 * created.d: files that were made, by directory.
 *
 * @@load: toil renames 28
 * @@truth: load strace
 * @@check: n(os.getcwd()) == load["done"] + 1 == strace.seen("^openat.*O_CREAT")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vfs:::create
/execname == "toil"/
{
	@[args[0]->fi_dirname] = count();
}

dtrace:::END
{
	printf("%-50s %8s\n", "DIRECTORY", "FILES");
	printa("%-50s %@8d\n", @);
}
