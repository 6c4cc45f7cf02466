/*
 * args[0] of a profile probe is the program counter in the kernel, args[1] that
 * in the process; one of them is 0.
 * @@args: -q
 */
profile-97
/(args[0] == 0) == (args[1] == 0)/
{
	exit(1);
}

profile-97
/n++ > 20/
{
	printf("%d %d\n", sizeof (args[0]), args[0] == arg0);
	exit(0);
}
