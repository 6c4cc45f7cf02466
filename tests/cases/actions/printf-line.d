/*
 * Without -q a printf() follows the probe's columns.
 */
BEGIN
{
	printf("one\n");
	printf("two %d", 2);
	exit(0);
}
