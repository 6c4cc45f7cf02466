#!/usr/sbin/dtrace -s
/*
 * folders.d: operations on directories and links, by kind.
 *
 * @@load: toil folders 26
 * @@truth: strace
 * @@check: n("mkdir") == strace.calls["mkdir"] == 26
 * @@check: n("rmdir") == strace.calls["rmdir"] and n("symlink") == strace.calls["symlink"]
 * @@check: n("readlink") == strace.calls["readlink"] - strace.failed["readlink"] + strace.calls["readlinkat"]
 * @@check: n("unlink") == strace.calls["unlink"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vfs:::mkdir, vfs:::rmdir, vfs:::symlink, vfs:::readlink, vfs:::unlink
/execname == "toil"/
{
	@ops[probename] = count();
}
