/*
 * Memory is looked for as often as the kernel says (MAX_RECLAIM_RETRIES of
 * mm/memcontrol.c) when a control group has none that could be taken.
 * @@args: -q
 * @@needs: prog:kernel
 */
vminfo:::pgrrun
/pid == $target/
{
	@runs = sum(arg0);
	@counters = max(arg1);
}

END
{
	printa("%@d %@d\n", @runs, @counters);
}
