/*
 * With cleanrate, speculations are cleaned up that often, however rarely
 * buffers are read.
 */
BEGIN { printf("ready\n"); }

syscall::getpriority:entry /ppid == $1 && arg0 == 0x7001 && arg2 == 0/
{
	self->s = speculation();
	speculate(self->s);
	printf("committed\n");
}

syscall::getpriority:entry /ppid == $1 && arg0 == 0x7001 && arg2 == 1/
{
	commit(self->s);
	self->s = 0;
}
