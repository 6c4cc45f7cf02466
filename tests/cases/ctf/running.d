/*
 * Types of a process that is already running (-p).
 * @@needs: root bpf prog:types_gctf
 */
BEGIN
{
	printf("%d %d\n", sizeof (a.out`place_t), sizeof (union a.out`value));
	exit(0);
}
