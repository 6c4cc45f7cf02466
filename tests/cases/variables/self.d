/*
 * self-> belongs to the thread, from probe to probe.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known threads
 */
self int n;

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 1/
{
	printf("%d ", self->n);
	self->n = tid;
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 2/
{
	printf("%d\n", self->n == tid);
}
