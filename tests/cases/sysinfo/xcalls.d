/*
 * Another CPU is told to look at memory.
 * @@args: -q
 * @@needs: prog:kernel cpus2
 * @@run: $PROGS/kernel barriers 1000
 */
sysinfo:::xcalls
{
	seen = arg0;
}

END
{
	printf("%d\n", seen);
}
