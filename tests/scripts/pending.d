#!/usr/sbin/dtrace -s
/*
 * pending.d: requests that a disk has at once, when another comes.
 *
 * @@load: toil direct 14 4096
 * @@truth: load
 * @@check: n("started") == n("done") >= 28 and n("left") == 0
 * @@check: sum(dist("pending").values()) == n("started")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	pending = 0;
	printf("Tracing... Hit Ctrl-C to end.\n");
}

io:::start
/execname == "toil"/
{
	mine[args[0]->b_edev, args[0]->b_blkno, args[0]->b_bcount]++;
	pending++;
	@s["started"] = count();
	@p["pending"] = lquantize(pending, 0, 100, 1);
}

io:::done
/mine[args[0]->b_edev, args[0]->b_blkno, args[0]->b_bcount]/
{
	mine[args[0]->b_edev, args[0]->b_blkno, args[0]->b_bcount]--;
	pending--;
	@d["done"] = count();
}

dtrace:::END
{
	printf("left %d\n", pending);
}
