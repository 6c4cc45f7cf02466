/*
 * Another CPU is told a hundred times to look at memory; others may tell it something
 * as well, or it does so for a moment by itself.
 * @@args: -q
 * @@needs: prog:kernel cpus2
 * @@run: $PROGS/kernel barriers 100
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
	printf("%d\n", calls > 50 && calls < 150);
}
