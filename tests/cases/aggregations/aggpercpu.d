/*
 * With aggpercpu, a row is followed by what each CPU has of it.
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@n["calls"] = count();
	@q["dist"] = quantize(1);
	@only[cpu] = sum(7);
}

END
{
	printa(@n);
	printa(@q);
	printa(@only);
	printa("%s %@d\n", @n);
	trunc(@n);
	printa(@n);
	clear(@q);
	printa(@q);
}
