/*
 * Options are saved as DOF has them: numbers for those of DTrace, by name the
 * others that matter when the program runs.
 */
#pragma D option bufpolicy=fill
#pragma D option aggrate=3ms
#pragma D option bufsize=1m

BEGIN
{
	printf("%s", "0123456789");
	exit(0);
}
