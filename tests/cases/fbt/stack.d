/*
 * The stack at an entry begins with the function, whichever way it is probed;
 * then come its callers.
 * @@args: -q
 * @@needs: ksym:register_kprobe prog:reads
 * @@run: $PROGS/reads 1 1
 */
fbt::ksys_read:entry
/pid == $target && args[0] == 100/
{
	self->in = 1;
	stack(2);
}

fbt::vfs_*:entry,
fbt::rw_verify_area:entry
/self->in && probefunc == "vfs_read"/
{
	stack(2);
}

fbt::ksys_read:return
/self->in/
{
	stack(2);
	self->in = 0;
}
