/*
 * A count of ten: about one firing for ten faults, since others on the CPU have
 * faults, too.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel zeroed 2000
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
	printf("%d\n", fired > 140 && fired < 260);
}
