#!/usr/sbin/dtrace -s
/*
 * mappings.d: files that are mapped, and how much of them.
 *
 * @@load: toil maps 22 16384
 * @@truth: strace load
 * @@check: n("calls") == strace.seen(r"^mmap\(NULL, 16384, PROT_READ, MAP_PRIVATE, \d") == load["done"]
 * @@check: n("/dev/zero") == 22 * 16384
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::mmap:entry
/execname == "toil" && (int)arg4 >= 0/
{
	@len[fds[arg4].fi_pathname] = sum(arg1);
	@calls["calls"] = count();
}
