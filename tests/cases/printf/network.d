/*
 * %I and %P print a host and a port.
 * @@args: -q
 */
BEGIN
{
	printf("[%I]\n", "192.0.2.1");
	printf("[%P]\n", 60999);
	exit(0);
}
