/*
 * A fault that repeats is reported once, and then how many more there were: the
 * sum is that of the firings.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	n++;
	m[arg1] = *(int *)8;
}

END
{
	printf("faults %d", n);
}
