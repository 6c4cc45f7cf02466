#!/usr/sbin/dtrace -s
/*
 * sequential.d: is a file read from one end to the other? Offsets of each
 * read as the file has them when it is asked for.
 *
 * @@load: toil writes 20 512
 * @@truth: load
 * @@check: find(r"^data +(\d+) 512$") == [str(i * 512) for i in range(20)]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-10s %8s %s\n", "FILE", "OFFSET", "SIZE");
}

syscall::write:entry
/execname == "toil"/
{
	this->f = fds[arg0].fi_name;
	printf("%-10s %8d %d\n", this->f, fds[arg0].fi_offset, arg2);
}
