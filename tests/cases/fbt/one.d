/*
 * Entry and return of one function of the kernel, with typed arguments and the
 * value that it returns; arg0 of a return is 0.
 * @@args: -q
 * @@needs: ksym:register_kprobe prog:reads
 * @@run: $PROGS/reads 1 10
 */
fbt::ksys_read:entry
/pid == $target && args[0] == 100/
{
	self->in = 1;
	@asked = sum(args[2]);
}

fbt:vmlinux:ksys_read:return
/self->in/
{
	self->in = 0;
	@got = sum(args[1]);
	@same = sum(arg1 == args[1]);
	@zero = sum(arg0 + args[0]);
}

END
{
	printa("asked for %@d, got %@d, the same %@d, zero %@d\n", @asked,
	    @got, @same, @zero);
}
