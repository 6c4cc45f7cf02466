#!/usr/sbin/dtrace -s
/*
 * depth.d: processes by how deep they are below the command, indented.
 *
 * @@load: sh sh -c 'sh -c "/bin/true; /bin/true"; /bin/true'; /bin/true
 * @@truth: output
 * @@how: target
 * @@check: n("execs") == len(find(r"^ *(\w+) \d+ <- \d+$"))
 * @@check: len(find(r"^(true) ")) == 0 and len(find(r"^ +(true) ")) == 4
 */

#pragma D option quiet

int level[pid_t];

proc:::create
/pid == $target || level[pid]/
{
	level[args[0]->pr_pid] = level[pid] + 1;
}

proc:::exec-success
/pid == $target || level[pid]/
{
	printf("%*s%s %d <- %d\n", level[pid] * 2, "", execname, pid, ppid);
	@["execs"] = count();
}

proc:::exit
/level[pid]/
{
	level[pid] = 0;
}
