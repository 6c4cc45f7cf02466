/*
 * One printa() prints several aggregations whose keys have stacks of the kernel
 * and of the program among others.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@n[execname, stack(1), arg1 & 1, ustack(1)] = count();
	@sum[execname, stack(1), arg1 & 1, ustack(1)] = sum(arg1);
}

END { printa("%s %k<%d>%k%@d %@d\n", @n, @sum); }
