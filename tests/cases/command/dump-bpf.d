/*
 * --dump=bpf shows instructions next to the D lines they come from.
 */
BEGIN
{
	x = pid;
	exit(0);
}
