#!/usr/sbin/dtrace -s
/*
 * readsizes.d: how much programs ask for when they read, as a distribution.
 *
 * @@load: toil reads 64 3000
 * @@load: toil reads 16 100
 * @@truth: load
 * @@check: dist("toil")[2048] == 64 and dist("toil")[64] == 16
 * @@check: sum(dist("toil").values()) == 64 + 16 + 4   # /proc/self/io, twice each
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::read:entry
/execname == "toil"/
{
	@dist[execname] = quantize(arg2);
}

dtrace:::END
{
	printa("\n%s\n%@d\n", @dist);
}
