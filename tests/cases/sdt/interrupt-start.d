/*
 * sdt:::interrupt-start and interrupt-complete are the handlers of interrupts.
 * @@needs: cmd:dd
 */
sdt:unix::interrupt-start
{
	self->start = timestamp;
}

sdt:::interrupt-complete
/self->start && timestamp >= self->start/
{
	exit(0);
}
