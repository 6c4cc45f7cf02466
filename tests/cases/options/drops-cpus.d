/*
 * The size that a message about dynamic variables names is enough for the drops
 * of all CPUs, which share that memory.
 * @@args: -q
 * @@needs: prog:known cpus2
 */
syscall::getpriority:entry
/progenyof($target) && arg0 == 0x7001/
{
	a[cpu, arg1] = 1;
}
