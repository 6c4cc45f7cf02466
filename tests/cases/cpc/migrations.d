/*
 * A thread that is moved to another CPU, ten times.
 * @@args: -q
 * @@needs: prog:kernel cpus2
 * @@run: $PROGS/kernel moved 10
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

cpc:::cpu_migrations-all-1
/self->on/
{
	@ = count();
}

END
{
	printa("%@d\n", @);
}
