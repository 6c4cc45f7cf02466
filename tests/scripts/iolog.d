#!/usr/sbin/dtrace -s
/*
 * iolog.d: requests to disks as they are made: who, which way, where, how much.
 *
 * @@load: toil direct 12 8192
 * @@truth: load procio
 * @@check: sum(int(r[3]) for r in rows if r[:1] == ["toil"] and r[1] == "R") == load["read_bytes"] == load["bytes"]
 * @@check: sum(int(r[3]) for r in rows if r[:1] == ["toil"] and r[1] == "W" and r[-1] == "direct") == 0
 * @@check: sum(int(r[3]) for r in rows if r[:1] == ["toil"] and r[1] == "W") >= load["bytes"]     # the journal's, too
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-16s %1s %10s %8s %8s %s\n", "COMM", "D", "BLOCK", "SIZE",
	    "DEVICE", "FILE");
}

io:::start
/execname == "toil"/
{
	printf("%-16s %1s %10d %8d %8s %s\n", execname,
	    args[0]->b_flags & B_READ ? "R" : "W", args[0]->b_blkno,
	    args[0]->b_bcount, args[1]->dev_statname, args[2]->fi_name);
}
