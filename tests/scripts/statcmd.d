#!/usr/sbin/dtrace -s
/*
 * statcmd.d: counts of the kernel in columns, a row each half second, as sar
 * had them.
 *
 * @@load: toil writes 300 10
 * @@truth: procio
 * @@how: self
 * @@check: sum(int(r[1]) for r in rows if r[0] == "row") == load["syscw"]
 * @@check: sum(int(r[2]) for r in rows if r[0] == "row") == load["wchar"]
 */

#pragma D option quiet

uint64_t swrit, wchar, n;

dtrace:::BEGIN
{
	printf("%6s %8s %8s\n", "", "swrit/s", "wchar/s");
}

sysinfo:::syswrite
/execname == "toil"/
{
	swrit += arg0;
}

sysinfo:::writech
/execname == "toil"/
{
	wchar += arg0;
}

profile:::tick-2hz
{
	printf("%6s %8d %8d\n", "row", swrit, wchar);
	swrit = 0;
	wchar = 0;
	n++;
}

profile:::tick-2hz
/n >= 3/
{
	exit(0);
}
