/*
 * walltimestamp is the time of day in ns since 1970.
 */
BEGIN
{
	printf("%d\n", walltimestamp);
	exit(0);
}
