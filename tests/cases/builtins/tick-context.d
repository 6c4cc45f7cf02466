/*
 * A tick fires on one CPU only, in dtrace itself.
 * @@args: -q
 */
tick-20ms
{
	printf("%d\n", pid == $pid);
	n++;
}

tick-20ms
/n == 3/
{
	exit(0);
}
