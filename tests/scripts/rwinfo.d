#!/usr/sbin/dtrace -s
/*
 * rwinfo.d: each request to a disk with its time in ms and a fraction.
 *
 * @@load: toil direct 10 16384
 * @@truth: load procio
 * @@check: len(find(r"^ *\S+ +\S+ +R +16384 +\d+\.\d\d\d$")) == 10
 * @@check: sum(map(int, find(r" R +(\d+) +\d+\.\d\d\d$"))) == load["read_bytes"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%10s %30s %2s %8s %7s\n", "DEVICE", "FILE", "RW", "BYTES", "MS");
}

io:::start
/execname == "toil"/
{
	start[args[0]->b_edev, args[0]->b_blkno] = timestamp;
}

io:::done
/start[args[0]->b_edev, args[0]->b_blkno]/
{
	this->elapsed = timestamp - start[args[0]->b_edev, args[0]->b_blkno];
	printf("%10s %30s %2s %8d %3d.%03d\n", args[1]->dev_statname,
	    args[2]->fi_pathname, args[0]->b_flags & B_READ ? "R" : "W",
	    args[0]->b_bcount, this->elapsed / 1000000,
	    (this->elapsed / 1000) % 1000);
	start[args[0]->b_edev, args[0]->b_blkno] = 0;
}
