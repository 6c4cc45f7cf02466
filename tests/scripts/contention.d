#!/usr/sbin/dtrace -s
/*
 * contention.d: the kernel's locks that had to be waited for, by kind.
 *
 * @@load: toil makers 300 4
 * @@truth: load
 * @@err: firings? skipped by the kernel inside another probe
 * @@check: len(column("toil")) <= 6 and all(c > 0 for c in column("toil"))
 * @@check: sum(dist("wait").values()) == sum(column("toil"))
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

lockstat:::adaptive-block,
lockstat:::adaptive-spin,
lockstat:::rw-block
/execname == "toil"/
{
	@n[execname, probename] = count();
	@w["wait"] = quantize(arg1);
}

dtrace:::END
{
	printa("%s %s %@d\n", @n);
	printa("%s%@d\n", @w);
}
