#!/usr/sbin/dtrace -s
/*
 * ioflags.d: kinds of requests to disks, with the flags spelt out.
 *
 * @@load: toil direct 9 4096
 * @@truth: load
 * @@check: n("toil", "R", "PHYS") == load["done"]
 * @@check: sum(column("toil", "W")) >= 9
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

io:::start
/execname == "toil"/
{
	this->w = args[0]->b_flags & B_WRITE ? "W" : "R";
	this->p = args[0]->b_flags & B_PHYS ? "PHYS" : "PAGEIO";
	@[execname, this->w, this->p] = count();
}
