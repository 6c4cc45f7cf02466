#!/usr/sbin/dtrace -s
/*
 * iosizes.d: sizes of requests to disks, by program and way.
 *
 * @@load: toil direct 16 4096
 * @@truth: load
 * @@check: dist("toil read") == {2048: 0, 4096: 16, 8192: 0}
 * @@check: dist("toil write")[4096] >= 16       # the journal's, too
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

io:::start
/execname == "toil"/
{
	this->dir = args[0]->b_flags & B_READ ? "read" : "write";
	@Size[execname, this->dir] = quantize(args[0]->b_bcount);
}

dtrace:::END
{
	printa("%s %s\n%@d\n", @Size);
}
