/*
 * Compiled and saved: who waits how long in which call, by thread.
 */
syscall::read:entry,
syscall::write:entry
/pid != 4711 && (arg0 > 2 || execname == "cat")/
{
	self->since = timestamp;
	self->bytes = arg2;
}

syscall::read:return,
syscall::write:return
/self->since/
{
	this->took = timestamp - self->since;
	@took[probefunc, execname] = quantize(this->took);
	@most[probefunc] = max(this->took / 1000);
	@rate["bytes", errno == 0] = avg(self->bytes);
	self->since = 0;
	self->bytes = 0;
}

tick-10s
{
	trunc(@most, 3);
	normalize(@rate, 10);
	printa("%-10s %20s %@d\n", @took);
	clear(@took);
}
