/*
 * Without temporal, the records of each CPU stand together, whenever they were
 * written.
 * @@needs: prog:known cpus2
 */
syscall::getpriority:entry
/progenyof($target) && arg0 == 0x7001/
{
	printf("CPU %d\n", cpu);
}
