#!/usr/sbin/dtrace -s
/*
 * dnstimes: how long a program waits for the addresses of names
 *
 * The program is named with -p PID or -c COMMAND.
 * The calls are those of getaddrinfo(3).
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%10s %8s  %s\n", "TIME us", "RESULT", "NAME");
}

pid$target:libc.so.6:getaddrinfo:entry
{
	self->name = arg0;
	self->start = timestamp;
}

pid$target:libc.so.6:getaddrinfo:return
/self->start/
{
	printf("%10d %8d  %s\n", (timestamp - self->start) / 1000, (int)arg1,
	    self->name ? copyinstr(self->name) : "");
	self->start = 0;
}
