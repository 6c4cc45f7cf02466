#!/usr/sbin/dtrace -s
/*
 * diskerrors: requests to block devices that failed
 *
 * BLOCK counts blocks of 512 bytes, and ERROR is the name that errno(3) has.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-20s %-10s %-6s %12s %8s %s\n", "TIME", "DEVICE", "", "BLOCK",
	    "BYTES", "ERROR");
}

io:::done
/args[0]->b_error != 0/
{
	printf("%-20Y %-10s %-6s %12d %8d %s\n", walltimestamp,
	    args[1]->dev_statname, args[0]->b_flags & B_READ ? "read" : "write",
	    args[0]->b_blkno, args[0]->b_bcount, errname(args[0]->b_error));
}
