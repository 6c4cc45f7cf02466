/*
 * Names that are looked at as strings are those of the probe that fired, also
 * where several groups of probes have tables.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:1
 */
syscall::getpriority:entry,
syscall::setpriority:entry
/pid == $target/
{
	self->in = 1;
	printf("%d %s\n", strlen(probename), strjoin(probefunc, "."));
}

syscall::getpriority:return,
syscall::setpriority:return
/self->in/
{
	printf("%d %s\n", strlen(probename), strjoin(probename, "."));
	self->in = 0;
}
