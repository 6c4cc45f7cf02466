#!/usr/sbin/dtrace -s
/*
 * iopairs.d: requests that were made and are done, by device and block, and how
 * long they took.
 *
 * @@load: toil direct 20 4096
 * @@truth: load
 * @@check: n("requests") >= 40 and n("requests") == n("done")
 * @@check: sum(dist("latency").values()) == n("done")
 */

#pragma D option quiet

uint64_t start_time[dev_t, uint64_t];

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

io:::start
/execname == "toil" && args[0]->b_bcount == 4096/
{
	start_time[args[0]->b_edev, args[0]->b_blkno] = timestamp;
	@r["requests"] = count();
}

io:::done
/start_time[args[0]->b_edev, args[0]->b_blkno]/
{
	this->delta = (timestamp -
	    start_time[args[0]->b_edev, args[0]->b_blkno]) / 1000;
	@d["done"] = count();
	@l["latency"] = quantize(this->delta);
	start_time[args[0]->b_edev, args[0]->b_blkno] = 0;
}
