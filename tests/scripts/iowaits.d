#!/usr/sbin/dtrace -s
/*
 * iowaits.d: waits for disks, begun and ended.
 *
 * @@load: toil syncs 5 4096
 * @@truth: load rusage
 * @@check: n("wait-start") == n("wait-done") >= load["done"] - 1
 * @@check: n("wait-start") <= load["self"]["nvcsw"]     # each of them is a switch
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

io:::wait-start,
io:::wait-done
/execname == "toil"/
{
	@[probename] = count();
}
