#!/usr/sbin/dtrace -s
/*
 * jvmgc: garbage collections of a Java virtual machine
 *
 * The program is named with -p PID or -c COMMAND.
 *
 * Needs a virtual machine that was built with --enable-dtrace, as those of
 * distributions are.
 */
#pragma D option quiet
#pragma D option zdefs

hotspot$target:::gc-begin
{
	self->start = timestamp;
}

hotspot$target:::gc-end
/self->start/
{
	@["collection (us)"] = quantize((timestamp - self->start) / 1000);
	self->start = 0;
}
