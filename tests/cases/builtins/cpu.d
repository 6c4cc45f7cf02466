/*
 * cpu is the CPU that runs the probe.
 * @@needs: prog:burst cpus2
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[arg1, cpu == arg1 % $1] = count();
}
END { printa("%d %d %@d\n", @); }
