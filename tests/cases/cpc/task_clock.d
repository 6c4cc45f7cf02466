/*
 * The other clock, that of whatever runs.
 * @@args: -q
 */
cpc:::task_clock-all-1000000
/args[0] == arg0 && (arg0 == 0) != (arg1 == 0)/
{
	exit(0);
}
