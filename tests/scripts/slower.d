#!/usr/sbin/dtrace -s
/*
 * slower.d MS: calls that take longer than so many ms, with the file.
 *
 * @@load: toil pingpong 5
 * @@load: sh sleep 0.2 | cat
 * @@operands: 150
 * @@truth: output
 * @@check: find(r"^(\w+) +read +pipe:") == ["cat"]
 */

#pragma D option quiet

inline int MIN_MS = $1;

dtrace:::BEGIN
{
	min_ns = MIN_MS * 1000000;
	printf("%-12s %-8s %-16s %s\n", "PROGRAM", "CALL", "FILE", "MS");
}

syscall::read:entry
/execname == "toil" || execname == "cat"/
{
	self->fd = arg0;
	self->start = timestamp;
}

syscall::read:return
/self->start && (timestamp - self->start) >= min_ns/
{
	this->ms = (timestamp - self->start) / 1000000;
	printf("%-12s %-8s %-16s %d\n", execname, probefunc,
	    fds[self->fd].fi_pathname, this->ms);
}

syscall::read:return
/self->start/
{
	self->start = 0;
	self->fd = 0;
}
