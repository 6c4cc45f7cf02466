/*
 * system() runs a formatted command, with -w.
 * @@args: -q -w
 */
BEGIN
{
	system("echo %s %d", "hello", 42);
}

BEGIN
{
	printf("after\n");
	exit(0);
}
