/*
 * A pattern of many functions, each told apart, at entry and return.
 * @@args: -q
 * @@needs: ksym:register_kprobe prog:reads
 * @@run: $PROGS/reads 1 10
 */
fbt::ksys_*:entry,
fbt::vfs_*:entry
/pid == $target && probefunc == "ksys_read" && arg0 == 100/
{
	self->in = 1;
	@asked[probefunc] = sum(arg2);
}

fbt::vfs_*:entry
/self->in/
{
	@below[probefunc] = count();
}

fbt::ksys_*:return
/self->in/
{
	self->in = 0;
	@got[probefunc, probename] = sum(arg1);
	@zero = sum(arg0);
}

END
{
	printa("%s %@d\n", @asked);
	printa("%s %@d\n", @below);
	printa("%s %s %@d\n", @got);
	printa("%@d\n", @zero);
}
