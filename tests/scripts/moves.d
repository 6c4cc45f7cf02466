#!/usr/sbin/dtrace -s
/*
 * moves.d: renames as they happen, from and to, and what is removed.
 *
 * @@load: toil renames 17
 * @@truth: load
 * @@check: find(r"^toil +mv old(\d+) -> new(?:\d+)$") == [str(i) for i in range(17)]
 * @@check: find(r"^toil +rm new(\d+)$") == [str(i) for i in range(17)]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-12s %s\n", "PROGRAM", "WHAT");
}

vfs:::rename
/execname == "toil"/
{
	printf("%-12s mv %s -> %s\n", execname, args[0]->fi_name,
	    args[1]->fi_name);
}

vfs:::unlink
/execname == "toil"/
{
	printf("%-12s rm %s\n", execname, basename(args[0]->fi_pathname));
}
