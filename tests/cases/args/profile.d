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
	size = sizeof (args[0]);
	is_same = args[0] == arg0;
	exit(0);
}

END
{
	printf("%d %d\n", size, is_same);
}
