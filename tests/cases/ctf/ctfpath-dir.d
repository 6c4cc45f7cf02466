/*
 * A directory in ctfpath has a file for vmlinux and each module.
 */
BEGIN
{
	printf("%d %d %d\n", sizeof (struct only_kernel),
	    sizeof (vmlinux`struct only_kernel), sizeof (mod`struct only_mod));
	exit(0);
}
