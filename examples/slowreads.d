#!/usr/sbin/dtrace -s
/*
 * slowreads.d [US [PROGRAM]]: reads that take more than US (1000) microseconds,
 * one by one with their file, and a histogram per file at the end.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	limit = ($1 ? $1 : 1000) * 1000;
}

syscall::read:entry,
syscall::pread64:entry,
syscall::readv:entry
/$$2 == "" || execname == $$2/
{
	self->fd = arg0;
	self->start = timestamp;
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return
/self->start && timestamp - self->start > limit && getf(self->fd) != NULL/
{
	this->us = (timestamp - self->start) / 1000;
	this->file = d_path(&getf(self->fd)->f_path);
	printf("%-16s %8d us %8d bytes  %s\n", execname, this->us, (int)arg1,
	    this->file);
	@[this->file] = quantize(this->us);
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return
{
	self->start = 0;
}

END
{
	printa("\n%s (us)%@d", @);
}
