/*
 * -x cpu=N traces one CPU only.
 * @@needs: prog:burst cpus2
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[cpu] = count();
}

END { printa("%d %@d\n", @); }
