#!/usr/sbin/dtrace -s
/*
 * functime FUNCTION: how long a function of a program takes
 *
 * The program is named with -p PID or -c COMMAND.
 * Of a function that calls itself only the innermost call counts.
 */
#pragma D option quiet

pid$target::$1:entry
{
	self->start[probefunc] = timestamp;
}

pid$target::$1:return
/self->start[probefunc]/
{
	@[probefunc] = quantize(timestamp - self->start[probefunc]);
	self->start[probefunc] = 0;
}

END
{
	printa("%s (ns)%@d\n", @);
}
