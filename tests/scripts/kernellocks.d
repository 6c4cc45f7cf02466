#!/usr/sbin/dtrace -s
/*
 * kernellocks.d: the kernel's locks that a program takes, by kind; what is
 * taken to write is given back.
 *
 * @@needs: ksym:register_kprobe
 * @@load: toil makers 50 2
 * @@truth: load
 * @@check: n("write") >= load["done"]     # of the directory, for each file made
 * @@check: n("taken") == n("returned")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

lockstat:::rw-acquire
/execname == "toil"/
{
	@[arg1 == RW_WRITER ? "write" : "read"] = count();
}

lockstat:::adaptive-acquire
/execname == "toil"/
{
	held[pid, tid, arg0] = 1;
	@t["taken"] = count();
}

lockstat:::adaptive-release
/held[pid, tid, arg0]/
{
	held[pid, tid, arg0] = 0;
	@r["returned"] = count();
}
