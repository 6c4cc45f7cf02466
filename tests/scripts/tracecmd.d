#!/usr/sbin/dtrace -s
/*
 * tracecmd.d: a trace of one command in the manner of truss: each call with its
 * first arguments, result and error.
 *
 * @@load: toil errors 6
 * @@truth: load
 * @@check: count(r"^\d+: read\(0xFFFFFFFF, 0x[0-9A-F]+, 0x1\)\s+= -1 Err#9$") == load["done"]
 * @@check: count(r"^\d+: kill\(0x1, 0x3E8, ") == 6 == count(r"^\d+: mkdir\(.*Err#17$")
 */

#pragma D option quiet
#pragma D option switchrate=10

syscall:::entry
/pid == $target/
{
	self->arg0 = arg0;
	self->arg1 = arg1;
	self->arg2 = arg2;
	self->on = 1;
}

syscall:::return
/self->on/
{
	this->err = errno;
	printf("%d: %s(0x%X, 0x%X, 0x%X)\t\t = %d%s%s\n", pid, probefunc,
	    probefunc == "read" ? (unsigned int)self->arg0 : self->arg0,
	    self->arg1, self->arg2, (int)arg0,
	    this->err ? " Err#" : "",
	    this->err ? lltostr(this->err) : "");
	self->arg0 = 0;
	self->arg1 = 0;
	self->arg2 = 0;
	self->on = 0;
}
