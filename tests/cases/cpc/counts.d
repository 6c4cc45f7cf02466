/*
 * A count of ten: one firing for ten faults, if nobody else on the CPU has any.
 * @@args: -q
 * @@needs: prog:kernel
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

cpc:::page_faults-user-10
/self->on/
{
	fired++;
}

END
{
	printf("%d\n", fired);
}
