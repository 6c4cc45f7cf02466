#!/usr/sbin/dtrace -s
/*
 * iodevs.d: bytes and requests by device, in KB.
 *
 * @@load: toil direct 8 65536
 * @@truth: load
 * @@check: sum(column("toil", "kb")) >= 2 * 8 * 64      # the journal's, too
 * @@check: sum(column("toil", "kb")) < 2 * 8 * 64 + 1024
 * @@check: find(r"^toil kb (\S+) ")[0] in os.listdir("/sys/class/block")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

io:::start
/execname == "toil"/
{
	@kb[execname, args[1]->dev_statname, args[1]->dev_major] =
	    sum(args[0]->b_bcount);
}

dtrace:::END
{
	normalize(@kb, 1024);
	printa("%s kb %s %d %@d\n", @kb);
}
