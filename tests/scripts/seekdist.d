#!/usr/sbin/dtrace -s
/*
 * seekdist.d: how far a disk has to go between requests of one program;
 * a request to empty the disk's cache is at block 0.
 *
 * @@load: toil direct 30 4096
 * @@truth: load
 * @@check: n("requests") - 1 == sum(dist("toil").values()) >= 59 - 1
 * @@check: dist("toil").get(0, 0) >= 20     # most reads and writes follow each other
 */

#pragma D option quiet

self uint64_t last;
self int on;

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

io:::start
/execname == "toil" && self->on/
{
	this->last = self->last;
	this->dist = (int)(args[0]->b_blkno - this->last) > 0 ?
	    (int)(args[0]->b_blkno - this->last) :
	    (int)(this->last - args[0]->b_blkno);
	@size[execname] = quantize(this->dist);
}

io:::start
/execname == "toil"/
{
	self->last = args[0]->b_blkno + args[0]->b_bcount / 512;
	self->on = 1;
	@r["requests"] = count();
}

dtrace:::END
{
	printa("%s\n%@d\n", @size);
	printa("%s %@d\n", @r);
}
