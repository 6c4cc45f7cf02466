/*
 * Another CPU is told a hundred times to look at memory.  An interrupt may tell
 * others something as well, or that CPU does so for a moment by itself.
 * @@args: -q
 * @@needs: prog:kernel cpus2
 */
int going;

syscall::getppid:entry
/pid == $target/
{
	going = !going;
}

sysinfo:::xcalls
/pid == $target && going/
{
	calls += arg0;
}

END
{
	printf("%d\n", calls);
}
