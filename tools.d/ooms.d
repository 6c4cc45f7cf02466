#!/usr/sbin/dtrace -s
/*
 * ooms: processes that the kernel kills because memory is short
 *
 * CALLED BY is the program that wanted memory, and KILLED the process that was
 * killed for it.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-20s %-16s %8s %s\n", "TIME", "CALLED BY", "KILLED", "PROGRAM");
}

/*
 * The kernel sends the signal first, as no process can (SEND_SIG_PRIV of
 * linux/signal.h), and then marks the victim.  A process that ends already is
 * marked without a signal.
 */
inline int SEND_SIG_PRIV = 1;

sdt:::signal_generate
/args[0] == SIGKILL && arg1 == SEND_SIG_PRIV/
{
	self->killed = args[2]->tgid;
	self->name = stringof(args[2]->comm);
}

sdt:::mark_victim
{
	printf("%-20Y %-16s %8d %s\n", walltimestamp, execname,
	    self->killed ? self->killed : pid,
	    self->killed ? self->name : execname);
}

sdt:::mark_victim
{
	self->killed = 0;
	self->name = 0;
}
