/*
 * Each switch to another thread is counted, and whether it was wanted.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known sleep:20 sleep:20
 */
sysinfo:::pswitch, sysinfo:::inv_swtch
/pid == $target/
{
	@[probename] = sum(arg0);
	switched = 1;
}

sched:::off-cpu
/pid == $target/
{
	@["pswitch"] = sum(-1);
}

sched:::preempt
/pid == $target/
{
	@["inv_swtch"] = sum(-1);
}

END
{
	@["inv_swtch"] = sum(0);
	printf("%d\n", switched);
	printa("%s %@d\n", @);
}
