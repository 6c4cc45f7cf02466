#!/usr/sbin/dtrace -s
/*
 * offsets.d: where in a file a program goes, and how far it jumps.
 *
 * @@load: toil seeks 32 4096
 * @@truth: load
 * @@check: dist("offset")[0] == 8 and sum(dist("offset").values()) == load["done"]
 * @@check: n("jumps") == 31 * 4096
 */

#pragma D option quiet

int64_t last[pid_t];

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vfs:::seek
/execname == "toil"/
{
	@at["offset"] = lquantize(args[1], 0, 131072, 32768);
	this->far = args[1] - last[pid];
	@far["jumps"] = sum(this->far < 0 ? -this->far : this->far);
	last[pid] = args[1];
}

dtrace:::END
{
	printa("%s%@d\n", @at);
	printa("%s %@d\n", @far);
}
