#!/usr/sbin/dtrace -s
/*
 * readch.d: calls that read and write, and their bytes, as sysinfo counts them.
 *
 * @@load: toil preads 30 900
 * @@truth: procio
 * @@check: n("toil", "sysread") == load["syscr"] and n("toil", "readch") == load["rchar"]
 * @@check: n("toil", "syswrite") == load["syscw"] and n("toil", "writech") == load["wchar"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sysinfo:::sysread,
sysinfo:::syswrite,
sysinfo:::readch,
sysinfo:::writech
/execname == "toil"/
{
	@[execname, probename] = sum(arg0);
}
