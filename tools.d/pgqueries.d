#!/usr/sbin/dtrace -s
/*
 * pgqueries: queries of a PostgreSQL server process and their times
 *
 * The program is named with -p PID or -c COMMAND.
 *
 * Needs a server that was built with --enable-dtrace, as those of distributions
 * are.
 */
#pragma D option quiet
#pragma D option zdefs

postgresql$target:::query-start
{
	self->query = copyinstr(arg0);
	self->start = timestamp;
}

postgresql$target:::query-done
/self->start/
{
	printf("%10d us  %s\n", (timestamp - self->start) / 1000, self->query);
	@["query (us)"] = quantize((timestamp - self->start) / 1000);
	self->start = 0;
}
