/*
 * Arguments beyond the sixth are on the kernel's stack.
 * @@args: -q
 * @@needs: ksym:register_kprobe prog:known
 * @@run: $PROGS/known threads
 */
fbt::do_mmap:entry
/pid == $target && args[6] != NULL/
{
	@ = min((uintptr_t)args[6] > 0xffff800000000000 &&
	    (uintptr_t)args[7] > 0xffff800000000000);
}

END
{
	printa("%@d\n", @);
}
