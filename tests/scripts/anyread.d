#!/usr/sbin/dtrace -s
/*
 * anyread.d: all kinds of reads, by patterns of their names, which leave out
 * those of links and directories.
 *
 * @@load: toil preads 25 100
 * @@load: toil scan 4000 500
 * @@truth: strace load
 * @@check: n("pread64") == 25 and n("read") == 9 + 4     # four of /proc/self/io
 * @@check: n("readlink") == n("readlinkat") == 0
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::*read*:entry
/execname == "toil" && probefunc != "readlink" && probefunc != "readlinkat"/
{
	@[probefunc] = count();
}
