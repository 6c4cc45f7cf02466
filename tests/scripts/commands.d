#!/usr/sbin/dtrace -s
/*
 * commands.d: a shell command for each program that begins, once the record is
 * read.
 *
 * @@load: toil execs 4
 * @@truth: load
 * @@how: system
 * @@check: count(r"^began toil$") == 4 + 1
 * @@check: n("programs") == 5
 */

#pragma D option quiet
#pragma D option destructive

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::exec-success
/execname == "toil"/
{
	@n["programs"] = count();
	system("echo began %s", execname);
}
