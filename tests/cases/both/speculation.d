/*
 * Speculations in a process: others of the kernel do not disturb their tags.
 * @@kernel: it is about both substrates
 * @@args: -q -x substrate=both
 * @@needs: prog:mixed
 * @@run: $PROGS/mixed 4
 */
pid$target:a.out:step:entry
{
	self->spec = speculation();
	speculate(self->spec);
	printf("step %d\n", arg0);
}
pid$target:a.out:step:return
/self->spec && arg1 % 4 == 0/
{
	commit(self->spec);
	self->spec = 0;
}
pid$target:a.out:step:return
/self->spec/
{
	discard(self->spec);
	self->spec = 0;
}
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@ = count();
}
END { printa("%@d marks\n", @); }
