/*
 * vtimestamp advances, but not while the thread sleeps.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:1 sleep:100 seq:1
 */
self uint64_t t, v;

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	this->v = vtimestamp;
	this->t = timestamp;
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && self->t/
{
	printf("%d %d\n", this->v >= self->v, this->v - self->v < 50000000);
	printf("%d\n", this->t - self->t >= 100000000);
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	self->v = this->v;
	self->t = this->t;
}
