/*
 * task_clock counts the time of whatever task runs.
 * @@args: -q
 */
cpc:::task_clock-all-1000000
/args[0] == arg0 && (arg0 == 0) != (arg1 == 0)/
{
	exit(0);
}
