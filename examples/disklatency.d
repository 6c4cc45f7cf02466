#!/usr/sbin/dtrace -s
/*
 * disklatency.d: how long requests to each block device take, in nanoseconds,
 * and how much each program reads and writes, until ^C.
 */
#pragma D option quiet

io:::start
{
	since[args[0]->b_edev, args[0]->b_blkno] = timestamp;
	@bytes[execname, args[1]->dev_statname,
	    args[0]->b_flags & B_READ ? "read" : "write",
	    args[2]->fi_pathname] = sum(args[0]->b_bcount);
}

io:::done
/since[args[0]->b_edev, args[0]->b_blkno]/
{
	@latency[args[1]->dev_statname,
	    args[0]->b_flags & B_READ ? "read" : "write"] =
	    quantize(timestamp - since[args[0]->b_edev, args[0]->b_blkno]);
	since[args[0]->b_edev, args[0]->b_blkno] = 0;
}

END
{
	printa("%s, %s (ns)%@d\n", @latency);
	printf("%-16s %-10s %-6s %10s  %s\n", "PROGRAM", "DEVICE", "", "BYTES",
	    "FILE");
	printa("%-16s %-10s %-6s %@10d  %s\n", @bytes);
}
