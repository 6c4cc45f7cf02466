#!/usr/sbin/dtrace -s
/*
 * cmdline.d: programs as they begin, with who began them and their arguments.
 *
 * @@load: toil execs 14 3
 * @@truth: load
 * @@check: sorted(find(r"toil +\d+ +(?:\d+) .*toil quiet (\d)$")) == sorted(str(i % 3) for i in range(14))
 * @@check: [row[3] for row in rows if row[-2:-1] == ["quiet"]] == [str(load["pid"])] * 14
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-5s %-10s %6s %6s %s\n", "UID", "CMD", "PID", "PPID", "ARGS");
}

proc:::exec-success
/execname == "toil"/
{
	printf("%-5d %-10s %6d %6d %s\n", uid, execname, pid, ppid,
	    curpsinfo->pr_psargs);
}
