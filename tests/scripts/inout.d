#!/usr/sbin/dtrace -s
/*
 * inout.d: bytes read and written by programs, side by side.
 *
 * @@load: toil pingpong 70
 * @@truth: strace
 * @@check: ["toil", str(strace.bytes["read"]), str(strace.bytes["write"])] in rows
 * @@check: strace.bytes["write"] == 2 * load["done"] + os.path.getsize("report.json")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::read:return
/arg0 != -1 && execname == "toil"/
{
	@r[execname] = sum(arg0);
}

syscall::write:return
/arg0 != -1 && execname == "toil"/
{
	@w[execname] = sum(arg0);
}

dtrace:::END
{
	printf("%-16s %10s %10s\n", "EXEC", "READ", "WRITTEN");
	printa("%-16s %@10d %@10d\n", @r, @w);
}
