/*
 * Arguments beyond the sixth are on the kernel's stack: the eighth is a pointer
 * in every kernel.
 * @@args: -q
 * @@needs: ksym:register_kprobe prog:known
 * @@run: $PROGS/known threads
 */
fbt::do_mmap:entry
/pid == $target && args[7] != NULL/
{
	@ = min((uintptr_t)args[7] > 0xffff800000000000);
}

END
{
	printa("%@d\n", @);
}
