#!/usr/sbin/dtrace -s
/*
 * summary.d: several aggregations of one key, printed as one table, with those
 * that are largest last.
 *
 * @@load: toil renames 40
 * @@load: toil folders 10
 * @@truth: load
 * @@check: [r for r in rows if r[0] == "unlink"] == [["unlink", "50", "0"]]
 * @@check: [r for r in rows if r[0] == "rename"] == [["rename", "40", "0"]] and lines.index([l for l in lines if l.startswith("mkdir")][0]) < lines.index([l for l in lines if l.startswith("rename")][0])
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::rename:return, syscall::unlink:return, syscall::mkdir:return
/execname == "toil"/
{
	@n[probefunc] = count();
	@e[probefunc] = sum(errno != 0 ? 1 : 0);
}

dtrace:::END
{
	printf("%-12s %8s %8s\n", "CALL", "COUNT", "ERRORS");
	printa("%-12s %@8d %@8d\n", @n, @e);
}
