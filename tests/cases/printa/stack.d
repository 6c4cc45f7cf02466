/*
 * %k prints a stack among the keys of printa().
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[stack(1)] = count();
}

END { printa("<%k>%@d\n", @); }
