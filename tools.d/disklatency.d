#!/usr/sbin/dtrace -s
/*
 * disklatency: how long requests to each block device take
 *
 * The times are microseconds from the request to its end, for reads and writes.
 * Requests that the kernel merges with others have no end of their own, and are
 * not counted.
 */
#pragma D option quiet
#pragma D option dynvarsize=16m
#pragma D option defaultargs

io:::start
{
	since[args[0]->b_edev, args[0]->b_blkno] = timestamp;
}

io:::done
/since[args[0]->b_edev, args[0]->b_blkno]/
{
	@[args[1]->dev_statname, args[0]->b_flags & B_READ ? "read" : "write"] =
	    quantize((timestamp -
	    since[args[0]->b_edev, args[0]->b_blkno]) / 1000);
	since[args[0]->b_edev, args[0]->b_blkno] = 0;
}

END
{
	printa("%s, %s (us)%@d\n", @);
}
