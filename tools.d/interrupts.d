#!/usr/sbin/dtrace -s
/*
 * interrupts: numbers of interrupts, by handler and CPU
 *
 * HANDLER is the name that the driver gave; /proc/interrupts has it, too.
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:::irq_handler_entry
{
	@[stringof(args[1]->name), cpu] = count();
}

END
{
	printf("%-24s %5s %10s\n", "HANDLER", "CPU", "TIMES");
	printa("%-24s %5d %@10d\n", @);
}
