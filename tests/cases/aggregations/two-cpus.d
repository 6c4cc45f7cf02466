/*
 * Values of all CPUs are merged.
 * @@args: -q
 * @@needs: prog:burst
 * @@run: $PROGS/burst 2 1000
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@c = count();
	@s = sum(arg2);
	@a = avg(arg2);
	@x = max(arg2);
	@n = min(arg2);
	@q = quantize(arg2);
}

END
{
	printa("%@d ", @c);
	printa("%@d ", @s);
	printa("%@d ", @a);
	printa("%@d ", @x);
	printa("%@d", @n);
}
