#!/usr/sbin/dtrace -s
/*
 * whenopen.d: when files were opened, as a date.
 *
 * @@load: toil opens 12
 * @@truth: load
 * @@check: len(find(r"^(20\d\d [A-Z][a-z][a-z] [ \d]\d \d\d:\d\d:\d\d)  toil  here$")) == load["done"] + 1
 * @@check: find(r"^20\d\d (?:.*)  (toil)  here$") == ["toil"] * 13
 */

#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%-20s  %s  %s\n", "TIME", "CMD", "FILE");
}

syscall::open*:entry
/execname == "toil"/
{
	self->pathp = probefunc == "open" ? arg0 : arg1;
	self->ok = 1;
}

syscall::open*:return
/self->ok/
{
	printf("%Y  %s  %s\n", walltimestamp, execname, copyinstr(self->pathp));
	self->pathp = 0;
	self->ok = 0;
}
