#!/usr/sbin/dtrace -s
/*
 * iofiles.d: bytes from disks by file, of pages that were not in memory.
 *
 * @@load: toil major 24
 * @@truth: load procio
 * @@check: n("toil", "R", "mapped") == load["read_bytes"] == 24 * 4096
 * @@check: n("toil", "W", "mapped") == 24 * 4096
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

io:::start
/execname == "toil"/
{
	@files[execname, args[0]->b_flags & B_READ ? "R" : "W",
	    args[2]->fi_name] = sum(args[0]->b_bcount);
}

dtrace:::END
{
	normalize(@files, 1);
	printf("%-12s %3s %-20s %10s\n", "COMM", "DIR", "FILE", "BYTES");
	printa("%-12s %3s %-20s %@10d\n", @files);
}
