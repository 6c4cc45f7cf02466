/*
 * timestamp is CLOCK_MONOTONIC in ns.
 */
BEGIN
{
	printf("%d\n", timestamp);
	exit(0);
}
