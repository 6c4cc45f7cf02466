/*
 * A tracepoint that is named without a provider counts once: rawtp has it only
 * when it is named.
 */
sched_switch, *:::sched_switch
{
	seen[probeprov] = 1;
}

tick-100ms
{
	printf("%d %d\n", seen["sdt"], seen["rawtp"]);
	exit(0);
}
