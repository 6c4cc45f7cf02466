/*
 * Equal stacks in a new file are one key, however many of them dtrace had to
 * finish; trunc() keeps all of it, and clear() forgets the counts alone.
 * @@needs: prog:burst
 */
syscall::getpriority:entry
/arg0 == 0x7001 && execname == "newkeys"/
{
	@kept[ustack()] = count();
	@cleared[ustack(2)] = count();
}

syscall::getpriority:entry
/arg0 == 0x7001 && execname == "newkeys" && arg2 == 49/
{
	@[ustack(1)] = max(arg2);
}

END
{
	trunc(@kept, 1);
	clear(@cleared);
}
